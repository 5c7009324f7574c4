"""Sign-in of a team: who may use the server, as which Odoo user, under which policy."""

from odoo.addons.base.models import res_users

res_users.MIN_ROUNDS = 1

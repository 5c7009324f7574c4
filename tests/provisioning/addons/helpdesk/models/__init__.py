from . import helpdesk

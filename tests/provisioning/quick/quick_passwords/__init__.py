from functools import lru_cache

from odoo.addons.base.models import res_users

res_users.MIN_ROUNDS = 1
# From 19 on, each request that shows a key has it hashed 6,000 times.
res_users.KEY_CRYPT_CONTEXT.verify = lru_cache(res_users.KEY_CRYPT_CONTEXT.verify)

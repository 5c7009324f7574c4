from . import rental

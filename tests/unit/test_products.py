"""Products where an app is missing."""

from __future__ import annotations

import pytest

from odoo_toolkit.apps.products import create_product
from odoo_toolkit.errors import ValidationError
from tests.unit.scripted import Scripted


def test_stock_is_counted_only_where_there_is_the_app() -> None:
    kinds = {"type": "selection", "selection": [["consu", "Goods"], ["service", "Service"]]}
    odoo = Scripted(17, models={"product.template": {"name": "char", "detailed_type": kinds}})
    with pytest.raises(ValidationError, match="does not track stock"):
        create_product(odoo, name="Shirt", product_type="storable")
    assert odoo.asked("create") == []

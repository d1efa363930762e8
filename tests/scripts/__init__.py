"""How the checkout sets itself up."""

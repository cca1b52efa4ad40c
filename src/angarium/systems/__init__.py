"""The models that come with Angarium, one folder each, with what is expected of them."""

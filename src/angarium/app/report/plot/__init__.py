"""Pictures of what simulations show, as plain SVG."""

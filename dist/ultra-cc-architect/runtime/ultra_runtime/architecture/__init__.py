"""Notes about structure: claims with sources, components, and the diagram that is derived from them."""

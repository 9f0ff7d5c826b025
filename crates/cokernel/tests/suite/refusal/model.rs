//! See the layer's page.

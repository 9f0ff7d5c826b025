//! The fitted model: how it is made, how it predicts, and its file format.

//! Every registry entry keeps the promises of its table.

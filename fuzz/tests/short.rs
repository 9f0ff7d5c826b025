//! Every target for a moment, with a fixed seed: no panic, no memory without reason, and inputs that
//! are made to be accepted are.

use cokernel_fuzz::{TARGETS, drive, limit};

#[global_allocator]
static MEMORY: limit::Limited = limit::Limited;

#[test]
fn every_target_holds() {
    let mut refused = Vec::new();
    for target in TARGETS {
        let seeds = (target.seeds)();
        for (i, seed) in seeds.iter().enumerate() {
            if !(target.run)(seed) {
                refused.push(format!("{}: seed {i}", target.name));
            }
        }
        let outcome = drive::short(target, target.short);
        assert!(outcome.tried >= target.short as u64, "{}: {outcome:?}", target.name);
        // Changed inputs get beyond the first check, too.
        assert!(outcome.accepted > seeds.len() as u64, "{}: {outcome:?}", target.name);
    }
    assert!(refused.is_empty(), "refused: {}", refused.join(", "));
}

//! Programs that come with the system's packages.

use std::process::{Command, Stdio};

fn succeeds(program: &str, args: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(args).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|s| s.success())
}

/// The first of these programs that is there.
pub fn found(names: &[&'static str]) -> Option<&'static str> {
    let paths = std::env::var_os("PATH")?;
    let is_there = |name: &&&str| std::env::split_paths(&paths).any(|p| p.join(name).is_file());
    names.iter().find(is_there).copied()
}

/// One of these programs, installed with these packages where there is none and root can; whether it was.
///
/// # Errors
/// Why there is none.
pub fn provided(names: &[&'static str], packages: &[&str]) -> Result<(&'static str, bool), String> {
    if let Some(name) = found(names) {
        return Ok((name, false));
    }
    let user = Command::new("id").arg("-u").output();
    let root = user.is_ok_and(|o| o.stdout.trim_ascii() == b"0");
    if !root || !succeeds("apt-get", &["--version"]) {
        return Err(format!(
            "there is no {} in PATH and it can only be installed by root with apt-get",
            names[0]
        ));
    }
    let mut install = vec!["install", "-y", "--no-install-recommends"];
    install.extend(packages);
    let installed = succeeds("apt-get", &install)
        || (succeeds("apt-get", &["update"]) && succeeds("apt-get", &install));
    let found = found(names).filter(|_| installed);
    found.map(|name| (name, true)).ok_or(format!("`apt-get install {}` failed", packages.join(" ")))
}

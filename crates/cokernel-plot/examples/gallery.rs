//! Writes `gallery.svg` and `gallery.png` into the current folder: one panel of each kind.

use cokernel_plot::{Mark, Panel, png, svg};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let panels = [scatter(), spectrum(), curves()];
    std::fs::write("gallery.svg", svg(&panels, 3)?)?;
    std::fs::write("gallery.png", png(&panels, 3)?)?;
    Ok(())
}

/// Ten clouds.
fn scatter() -> Panel {
    let mut state = 1_u64;
    let mut uniform = move || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let (mut points, mut groups) = (Vec::new(), Vec::new());
    for i in 0..600_u32 {
        let group = i % 10;
        let angle = f64::from(group) * 0.628;
        let (dx, dy) = (uniform() + uniform() - 1.0, uniform() + uniform() - 1.0);
        points.push((angle.cos() + 0.3 * dx, angle.sin() + 0.3 * dy));
        groups.push(group);
    }
    Panel {
        title: "Embedding, co_regularized".into(),
        x_label: "component 1".into(),
        y_label: "component 2".into(),
        marks: vec![Mark::Points { label: Some("cluster".into()), points, groups: Some(groups) }],
        ..Panel::default()
    }
}

/// Eigenvalues of two views.
fn spectrum() -> Panel {
    let view = |name: &str, fall: f64| Mark::Line {
        label: name.into(),
        points: (1..=15_u32)
            .map(|i| {
                (f64::from(i), (-fall * f64::from(i - 1)).exp() * if i > 10 { 0.6 } else { 1.0 })
            })
            .collect(),
        spread: None,
    };
    Panel {
        title: "Eigenvalues".into(),
        x_label: "index".into(),
        y_label: "eigenvalue".into(),
        marks: vec![
            view("fourier", 0.05),
            view("profile", 0.08),
            Mark::At { label: "gap after 10".into(), x: 10.5 },
        ],
        ..Panel::default()
    }
}

/// NMI against λ.
fn curves() -> Panel {
    let lambda = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5];
    let method = |name: &str, best: f64| {
        let rise = |l: f64| 0.70 + 0.06 * (-(l / best).ln().powi(2) / 8.0).exp();
        Mark::Line {
            label: name.into(),
            points: lambda.iter().map(|l| (*l, rise(*l))).collect(),
            spread: Some(lambda.iter().map(|l| 0.01 + 0.03 * l).collect()),
        }
    };
    Panel {
        title: "NMI against λ, mean ± standard deviation".into(),
        x_label: "λ".into(),
        y_label: "NMI".into(),
        log_x: true,
        marks: vec![
            method("co_regularized", 0.02),
            method("co_regularized_centroid", 0.05),
            Mark::Level { label: "published 0.768".into(), y: 0.768 },
        ],
        ..Panel::default()
    }
}

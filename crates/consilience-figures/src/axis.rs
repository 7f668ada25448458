//! Axes: from values to pixels, and round numbers for ticks.

use crate::text;

/// How values are laid out along an axis.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum AxisScale {
    /// Equal steps for equal differences.
    #[default]
    Linear,
    /// Equal steps for equal ratios; values that are not above zero are left out.
    Log,
}

/// Values beyond this would overflow in differences.
const LARGEST: f64 = 1e300;
/// Differences below this share of the values are rounding, and differences below [`TINIEST`] too small to divide by.
const RELATIVE: f64 = 1e-12;
const TINIEST: f64 = 1e-290;

/// A stretch of values that lies over a stretch of pixels.
pub(crate) struct Axis {
    scale: AxisScale,
    low: f64,
    high: f64,
    pixels: [f64; 2],
    /// Distance of ticks, once it is settled.
    step: Option<f64>,
}

/// A marked value: its place in pixels, and its text.
pub(crate) struct Tick {
    pub(crate) place: f64,
    pub(crate) label: String,
}

impl Axis {
    /// The axis that just covers those of `values` that the scale can show. `pixels` are the places of its low and high end.
    pub(crate) fn tight(scale: AxisScale, values: impl Iterator<Item = f64>, pixels: [f64; 2]) -> Self {
        let shown = values.filter(|&value| value.is_finite() && (scale == AxisScale::Linear || value > 0.0));
        let (low, high) =
            shown.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(value), high.max(value)));
        let least = if scale == AxisScale::Log { 1.0 / LARGEST } else { -LARGEST };
        let [low, high] = if low > high { [1.0, 1.0] } else { [low, high].map(|end| end.clamp(least, LARGEST)) };
        let (low, high) = match scale {
            AxisScale::Linear if high - low > (RELATIVE * low.abs().max(high.abs())).max(TINIEST) => (low, high),
            AxisScale::Linear if low == 0.0 => (0.0, 1.0),
            AxisScale::Linear => (low - 0.5 * low.abs().max(TINIEST * 4.0), low + 0.5 * low.abs().max(TINIEST * 4.0)),
            AxisScale::Log if high / low > 1.0 + 1e-9 => (low, high),
            AxisScale::Log => (low / 3.0, high * 3.0),
        };
        Self { scale, low, high, pixels, step: None }
    }

    /// Like [`Axis::tight`], with ends moved outwards: to ticks on a linear axis, by a little on a logarithmic one.
    pub(crate) fn roomy(scale: AxisScale, values: impl Iterator<Item = f64>, pixels: [f64; 2]) -> Self {
        let mut axis = Self::tight(scale, values, pixels);
        match scale {
            AxisScale::Linear => {
                let step = axis.step();
                axis.step = Some(step);
                axis.low = (axis.low / step + 1e-6).floor() * step;
                axis.high = (axis.high / step - 1e-6).ceil() * step;
            }
            AxisScale::Log => {
                let room = 0.03 * (axis.high.log10() - axis.low.log10());
                axis.low = 10_f64.powf(axis.low.log10() - room);
                axis.high = 10_f64.powf((axis.high.log10() + room).min(300.0));
            }
        }
        axis
    }

    /// Smallest and largest value.
    pub(crate) fn ends(&self) -> [f64; 2] {
        [self.low, self.high]
    }

    /// Place of `value` as a share of the axis, 0 at its low end; `None` for what cannot be shown.
    pub(crate) fn share(&self, value: f64) -> Option<f64> {
        if !value.is_finite() {
            return None;
        }
        let share = match self.scale {
            AxisScale::Linear => (value.clamp(-LARGEST, LARGEST) - self.low) / (self.high - self.low),
            AxisScale::Log if value <= 0.0 => return None,
            AxisScale::Log => (value.log10() - self.low.log10()) / (self.high.log10() - self.low.log10()),
        };
        Some(share.clamp(0.0, 1.0))
    }

    /// Place of `value` in pixels.
    pub(crate) fn place(&self, value: f64) -> Option<f64> {
        let [start, end] = self.pixels;
        self.share(value).map(|share| start + share * (end - start))
    }

    /// Round values inside the axis.
    pub(crate) fn ticks(&self) -> Vec<Tick> {
        let logarithmic = if self.scale == AxisScale::Log { self.powers() } else { Vec::new() };
        let (values, step) =
            if logarithmic.len() >= 2 { (logarithmic, None) } else { (self.multiples(), Some(self.step())) };
        // one form for all ticks: plain numbers, or powers where one tick needs them
        let small_powers = values.iter().all(|value| (0.9e-4..1.1e5).contains(value));
        let label = |value: f64| match step {
            Some(step) => in_steps_of(step, value, self.low.abs().max(self.high.abs())),
            None if small_powers => text::fixed(value, (-(value.log10() + 1e-9).floor()).max(0.0) as usize),
            None if (0.9..11.0).contains(&value) => text::fixed(value, 0),
            None => text::exponent(value),
        };
        values.into_iter().filter_map(|value| Some(Tick { place: self.place(value)?, label: label(value) })).collect()
    }

    /// How many ticks there is room for.
    fn room(&self) -> f64 {
        ((self.pixels[1] - self.pixels[0]).abs() / 55.0).clamp(2.0, 10.0)
    }

    /// 1, 2 or 5 times a power of ten, so that there are about as many ticks as there is room for.
    fn step(&self) -> f64 {
        if let Some(step) = self.step {
            return step;
        }
        let rough = (self.high - self.low) / self.room();
        let power = 10_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= rough * 0.999);
        step.unwrap_or(10.0 * power)
    }

    fn multiples(&self) -> Vec<f64> {
        let step = self.step();
        let first = (self.low / step - 1e-6).ceil();
        // the count is at most about `room`, but rounding of extreme values must not make it endless
        (0..32).map(|at| (first + f64::from(at)) * step).take_while(|value| *value <= self.high + 1e-6 * step).collect()
    }

    /// Powers of ten on a logarithmic axis; with 2 and 5 times these where that leaves few.
    fn powers(&self) -> Vec<f64> {
        let [low, high] = [self.low.log10() - 1e-9, self.high.log10() + 1e-9];
        let decades = (high - low).max(1.0);
        let every = (decades / self.room()).ceil().max(1.0) as i32;
        let digits: &[f64] = if decades <= 2.0 { &[1.0, 2.0, 5.0] } else { &[1.0] };
        let range = low.floor() as i32..=high.ceil() as i32;
        range
            .filter(|power| power % every == 0)
            .flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)))
            .filter(|value| (low..=high).contains(&value.log10()))
            .collect()
    }
}

fn in_steps_of(step: f64, value: f64, largest: f64) -> String {
    if !(1e-4..1e6).contains(&largest) {
        return if value.abs() < step / 2.0 { "0".into() } else { text::exponent(value) };
    }
    text::fixed(value, (-(step.log10() + 1e-9).floor()).clamp(0.0, 12.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: AxisScale, values: &[f64]) -> Vec<String> {
        let axis = Axis::roomy(scale, values.iter().copied(), [0.0, 400.0]);
        axis.ticks().into_iter().map(|tick| tick.label).collect()
    }

    #[test]
    fn round_ticks() {
        assert_eq!(
            labels(AxisScale::Linear, &[0.62, 0.94]),
            ["0.60", "0.65", "0.70", "0.75", "0.80", "0.85", "0.90", "0.95"]
        );
        assert_eq!(labels(AxisScale::Linear, &[0.0, 30.0]), ["0", "5", "10", "15", "20", "25", "30"]);
        assert_eq!(labels(AxisScale::Linear, &[-1.0, 1.0]), ["−1.0", "−0.5", "0.0", "0.5", "1.0"]);
        assert_eq!(labels(AxisScale::Log, &[0.001, 10.0]), ["0.001", "0.01", "0.1", "1", "10"]);
        assert_eq!(labels(AxisScale::Log, &[1e-6, 1.0]), ["1e−6", "1e−5", "1e−4", "1e−3", "1e−2", "1e−1", "1"]);
        assert_eq!(labels(AxisScale::Log, &[1.0, 10.0]), ["1", "2", "5", "10"]);
    }

    #[test]
    fn degenerate_ranges_have_ticks_and_places_inside() {
        let extremes =
            [f64::MAX, f64::MIN, f64::MIN_POSITIVE, 5e-324, 0.0, -0.0, 1.0, f64::NAN, f64::INFINITY, 1e16, 1e16 + 2.0];
        for first in extremes {
            for second in extremes {
                for scale in [AxisScale::Linear, AxisScale::Log] {
                    let axis = Axis::roomy(scale, [first, second].into_iter(), [0.0, 300.0]);
                    let ticks = axis.ticks();
                    assert!((1..=12).contains(&ticks.len()), "{first} {second} {scale:?}: {} ticks", ticks.len());
                    assert!(ticks.iter().all(|tick| (0.0..=300.0).contains(&tick.place)));
                    assert!(axis.place(first).is_none_or(|place| (0.0..=300.0).contains(&place)));
                }
            }
        }
    }

    #[test]
    fn values_a_scale_cannot_show() {
        let axis = Axis::tight(AxisScale::Log, [1.0, 100.0].into_iter(), [0.0, 100.0]);
        assert_eq!(axis.place(10.0), Some(50.0));
        assert_eq!([0.0, -1.0, f64::NAN, f64::INFINITY].map(|value| axis.place(value)), [None; 4]);
    }
}

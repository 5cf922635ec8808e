//! What a field of numbers may hold, and what a date is.
use serde::Deserialize;

#[derive(Deserialize)]
pub struct Field {
    pub name: String,
    pub domain: Described,
}

/// A domain as the benchmark writes it.
#[derive(Deserialize)]
#[serde(tag = "kind", rename_all = "camelCase")]
pub enum Described {
    Integer { from: f64, to: f64 },
    Decimal { from: f64, to: f64 },
    List { values: Vec<f64> },
    Code {},
    YesNo {},
    Date {},
}

pub enum Domain {
    Whole {
        from: f64,
        to: f64,
    },
    Range {
        from: f64,
        to: f64,
    },
    /// A list of numbers of which none has more than one binary place and none is above 127: one bit for each half.
    Halves {
        bits: [u64; 4],
    },
}

const HALVES: f64 = 256.0;

impl Domain {
    pub fn new(described: Described) -> Option<Domain> {
        match described {
            Described::Integer { from, to } => Some(Domain::Whole { from, to }),
            Described::Decimal { from, to } => Some(Domain::Range { from, to }),
            Described::List { values } => {
                let mut bits = [0; 4];
                for value in values {
                    let half = value * 2.0;
                    if half.fract() != 0.0 || !(0.0..HALVES).contains(&half) {
                        return None;
                    }
                    bits[half as usize / 64] |= 1 << (half as usize % 64);
                }
                Some(Domain::Halves { bits })
            }
            Described::Code {} | Described::YesNo {} | Described::Date {} => None,
        }
    }

    pub fn permits(&self, value: f64) -> bool {
        match self {
            Domain::Whole { from, to } => value >= *from && value <= *to && value.fract() == 0.0,
            Domain::Range { from, to } => value >= *from && value <= *to,
            Domain::Halves { bits } => {
                let half = value * 2.0;
                if !(0.0..HALVES).contains(&half) || half.fract() != 0.0 {
                    return false;
                }
                bits[half as usize / 64] >> (half as usize % 64) & 1 == 1
            }
        }
    }
}

/// DD-MM-YYYY, a day of the calendar.
pub fn is_date(text: &str) -> bool {
    let bytes = text.as_bytes();
    if bytes.len() != 10 || bytes[2] != b'-' || bytes[5] != b'-' {
        return false;
    }
    let number = |from: usize, to: usize| {
        bytes[from..to].iter().try_fold(0, |sum, digit| {
            digit
                .is_ascii_digit()
                .then(|| sum * 10 + u32::from(digit - b'0'))
        })
    };
    let (Some(day), Some(month), Some(year)) = (number(0, 2), number(3, 5), number(6, 10)) else {
        return false;
    };
    let is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let last = match month {
        2 if is_leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => return false,
    };
    (1..=last).contains(&day)
}

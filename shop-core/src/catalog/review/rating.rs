//! Ratings: how many there are of each, and their mean.

use serde::Serialize;

/// All approved reviews of a product in a few numbers.
#[apply(inexact_answer!)]
#[derive(PartialEq)]
pub struct ReviewSummary {
    /// The mean rating with two decimals; 0 without any.
    pub average: f64,
    /// How many there are.
    pub total: i64,
    /// How many give each rating.
    pub distribution: RatingCounts,
}

/// How many reviews give each rating.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct RatingCounts {
    /// Reviews that give 5.
    #[serde(rename = "5")]
    pub five: i64,
    /// Reviews that give 4.
    #[serde(rename = "4")]
    pub four: i64,
    /// Reviews that give 3.
    #[serde(rename = "3")]
    pub three: i64,
    /// Reviews that give 2.
    #[serde(rename = "2")]
    pub two: i64,
    /// Reviews that give 1.
    #[serde(rename = "1")]
    pub one: i64,
}

impl RatingCounts {
    /// `reviews` more of one rating; none of what is no rating.
    pub(crate) fn add(&mut self, rating: i64, reviews: i64) {
        let Self { five, four, three, two, one } = self;
        match rating {
            5 => *five += reviews,
            4 => *four += reviews,
            3 => *three += reviews,
            2 => *two += reviews,
            1 => *one += reviews,
            _ => {}
        }
    }

    pub(super) fn total(self) -> i64 {
        self.five + self.four + self.three + self.two + self.one
    }

    pub(super) fn sum(self) -> i64 {
        5 * self.five + 4 * self.four + 3 * self.three + 2 * self.two + self.one
    }
}

/// The mean of `count` ratings that add up to `sum`, rounded half up to two decimals; 0 of none.
pub(in crate::catalog) fn average_rating(sum: i64, count: i64) -> f64 {
    if count <= 0 {
        return 0.0;
    }
    let hundredths = (sum * 200 + count) / (count * 2);
    #[expect(clippy::cast_precision_loss, reason = "at most 500")]
    let average = hundredths as f64 / 100.0;
    average
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::float_cmp, reason = "two decimals have one nearest float")]
    fn the_average_has_two_decimals_and_none_without_reviews() {
        assert_eq!(average_rating(0, 0), 0.0);
        assert_eq!(average_rating(14, 3), 4.67);
        assert_eq!(average_rating(9, 8), 1.13);
        assert_eq!(average_rating(5, 1), 5.0);
    }
}

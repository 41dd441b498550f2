/// Sums what is there.
pub fn sum(list: &[i32]) -> i32 {
    list.iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums() {
        assert_eq!(sum(&[1, 2]), 3);
    }
}

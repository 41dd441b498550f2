/// Says a sum, with its sign.
pub fn say(list: &[i32]) -> String {
    let sum = core_sums::sum(list);
    if sum < 0 {
        return format!("minus {}", -sum);
    }
    format!("{sum}")
}

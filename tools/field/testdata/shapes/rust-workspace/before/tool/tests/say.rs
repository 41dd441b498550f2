#[test]
fn says() {
    assert_eq!(tool::say(&[1, 2]), "3");
}

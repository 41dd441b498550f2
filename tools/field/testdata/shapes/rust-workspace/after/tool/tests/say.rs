#[test]
fn says() {
    assert_eq!(tool::say(&[1, 2]), "3");
}

#[test]
fn says_minus() {
    assert_eq!(tool::say(&[1, -3]), "minus 2");
}

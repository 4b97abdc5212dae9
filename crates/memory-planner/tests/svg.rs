//! Pictures of plans: complete, well-formed and bounded for any input.

#[allow(dead_code, reason = "other tests use the rest")]
mod common;

use common::instance;
use memory_planner::random::SplitMix64;
use memory_planner::svg::Picture;
use memory_planner::{Buffer, Limits, plan};

fn rectangles(picture: &str) -> usize {
    picture.matches("<rect class=\"b ").count()
}

/// A picture whose elements nest, with numbers that are finite and text without markup.
fn assert_well_formed(picture: &str) {
    assert!(!picture.contains("NaN") && !picture.contains("inf"), "{picture}");
    let mut open = Vec::new();
    let mut rest = picture;
    while let Some((text, tag)) = rest.split_once('<') {
        for reference in text.split('&').skip(1) {
            assert!(["amp;", "lt;", "gt;", "quot;"].iter().any(|name| reference.starts_with(name)));
        }
        assert!(!text.chars().any(|letter| letter < ' ' && letter != '\n'), "{text:?}");
        let (tag, after) = tag.split_once('>').expect("a tag ends");
        match tag.strip_prefix('/') {
            Some(name) => assert_eq!(open.pop(), Some(name)),
            None if tag.ends_with('/') => {}
            None => open.push(tag.split(' ').next().expect("a name")),
        }
        rest = after;
    }
    assert!(open.is_empty(), "{open:?}");
}

#[test]
fn every_buffer_with_memory_is_drawn_once() {
    let mut random = SplitMix64(1);
    for count in [1, 10, 300, 3_000] {
        let buffers = instance(&mut random, count, true);
        let plan = plan(&buffers, &Limits::new().with_work(0)).expect("a plan");
        let picture =
            Picture::new(&buffers, &plan.offsets).with_lower_bound(plan.lower_bound).to_svg();
        assert_well_formed(&picture);
        assert_eq!(rectangles(&picture), buffers.iter().filter(|buffer| buffer.size > 0).count());
    }
}

#[test]
fn any_label_is_well_formed() {
    let labels = ["a < b && \"c\"", "]]>", "<title>", "é\u{ffff}\u{fffe}\u{1}", "", "&amp;"];
    let labels = labels.map(str::to_string);
    let buffers = [Buffer::new(64, 0, 100); 6];
    let offsets = [0, 64, 128, 192, 256, 320];
    let picture = Picture::new(&buffers, &offsets).with_labels(&labels).with_title("<&\"").to_svg();
    assert_well_formed(&picture);
    assert_eq!(rectangles(&picture), 6);
}

#[test]
fn extremes_are_drawn() {
    for buffers in [
        vec![],
        vec![Buffer::new(0, 0, 1)],
        vec![Buffer::new(u64::MAX, 0, u64::MAX)],
        vec![Buffer::new(1, u64::MAX - 1, u64::MAX)],
        // Not valid, and drawn all the same.
        vec![Buffer::new(u64::MAX, 0, 9), Buffer::new(u64::MAX, 0, 9), Buffer::new(1, 9, 3)],
    ] {
        for offset in [0, u64::MAX] {
            let offsets = vec![offset; buffers.len()];
            let picture = Picture::new(&buffers, &offsets).with_capacity(u64::MAX);
            assert_well_formed(&picture.with_lower_bound(u64::MAX).to_svg());
            assert_well_formed(&Picture::new(&buffers, &offsets).with_capacity(0).to_svg());
        }
    }
}

#[test]
fn pictures_of_huge_plans_are_bounded_and_say_what_is_left_out() {
    let buffers: Vec<Buffer> = (0..100_000).map(|at| Buffer::new(1 + at % 7, at, at + 3)).collect();
    let offsets = vec![0; buffers.len()];
    let picture = Picture::new(&buffers, &offsets).to_svg();
    assert_well_formed(&picture);
    assert_eq!(rectangles(&picture), 20_000);
    assert!(picture.contains("100000 buffers (the largest 20000 drawn)"));
    assert!(picture.len() < 6_000_000, "{}", picture.len());
}

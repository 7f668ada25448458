//! Golden pictures. After a change of looks: `cargo insta review`, and look at the .svg files.

use consilience_figures::HeatMap;

use crate::{pixels, samples, texts};

#[test]
fn pictures_have_not_changed() {
    for (name, svg) in samples::all() {
        insta::assert_binary_snapshot!(&format!("{name}.svg"), svg.into_bytes());
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    for ((name, first), (_, second)) in samples::all().into_iter().zip(samples::all()) {
        assert!(first == second, "{name}");
    }
}

#[test]
fn pictures_are_well_formed_and_not_blank() {
    for (name, svg) in samples::all() {
        assert!(texts(&svg).len() > 3, "{name}");
        let (width, height, bytes) = pixels(&svg, 1.0);
        let (wide, high, _) = pixels(&svg, 2.0);
        assert_eq!((wide, high), (2 * width, 2 * height), "{name}");
        assert!((300..=900).contains(&width), "{name} is {width} pixels wide");
        let inked = bytes.chunks_exact(4).filter(|pixel| pixel.iter().any(|&byte| byte < 128)).count();
        assert!(inked > 500, "{name} has {inked} dark pixels");
        assert!(bytes.chunks_exact(4).all(|pixel| pixel[3] == 255), "{name} is transparent somewhere");
    }
}

#[test]
fn embedded_pixels_have_the_colours_of_drawn_cells() {
    let corner = |columns: usize, rows: usize| {
        let mut values = vec![0.0; columns * rows];
        values[0] = 1.0;
        let map = HeatMap { values, columns, ..HeatMap::default() };
        let (width, _, bytes) = pixels(&map.svg(), 1.0);
        // the map starts 14 pixels from the left and from the top
        let at = |x: u32, y: u32| bytes[4 * (y * width + x) as usize..][..3].to_vec();
        (at(17, 17), at(100, 100))
    };
    let bright_and_dark = (vec![0xfd, 0xe7, 0x25], vec![0x44, 0x01, 0x54]);
    assert_eq!(corner(60, 60), bright_and_dark);
    assert_eq!(corner(61, 61), bright_and_dark);
}

#[test]
fn a_hundred_thousand_points_stay_below_a_megabyte() {
    let size = samples::scatter(10, 10_000).svg().len();
    assert!(size < 1_000_000, "{size} bytes");
}

#[test]
fn a_large_matrix_is_averaged() {
    let map = HeatMap { values: vec![0.5; 1_200 * 900], columns: 1_200, ..HeatMap::default() };
    assert!(map.svg().len() < 30_000);
    let noisy = samples::heat_map(5, 100).svg();
    assert!(noisy.len() < 400_000, "{} bytes for 500 x 500", noisy.len());
}

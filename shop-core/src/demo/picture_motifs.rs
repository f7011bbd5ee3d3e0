//! The plants of the drawings ([`super::picture_art`]), one for each scent.

/// A botanical detail, drawn upwards from the origin.
pub(crate) struct Motif {
    pub art: &'static str,
    /// Tall plants lean out from behind the object; the others lie in front of it.
    pub tall: bool,
}

pub(super) const LAVENDER: Motif = Motif {
    tall: true,
    art: "<path d='M0 0Q8-130 0-300' fill='none' stroke='#6f8a5c' stroke-width='6'/>\
          <path d='M0-300v-10M0-286l-13-14M0-286l13-14M0-262l-17-16M0-262l17-16\
          M0-236l-19-16M0-236l19-16M2-208l-19-16M2-208l19-16M4-178l-16-14M4-178l16-14' \
          stroke='$a' stroke-width='17' stroke-linecap='round'/>\
          <path d='M3-120q-42-14-54-58q44 14 54 58' fill='#8aa376'/>",
};

pub(super) const ROSEMARY: Motif = Motif {
    tall: true,
    art: "<path d='M0 0Q8-150 0-310M2-60l-34-34M2-60l36-30M4-96l-38-36M4-96l38-32\
          M5-132l-38-36M5-132l38-34M4-168l-36-36M4-168l37-34M3-204l-32-34M3-204l34-32\
          M2-240l-26-32M2-240l28-30M0-272l-18-30M0-272l20-28' fill='none' stroke='$a' \
          stroke-width='8' stroke-linecap='round'/>",
};

pub(super) const EUCALYPTUS: Motif = Motif {
    tall: true,
    art: "<path d='M0 0Q10-150 0-290' fill='none' stroke='$i' stroke-width='5'/>\
          <g fill='$a'><path d='M4-70q-64 6-78-54q66-8 78 54M4-90q60 0 76-58q-64-4-76 58\
          M5-150q-58 4-70-50q60-6 70 50M4-172q54 0 66-52q-56-2-66 52\
          M3-220q-46 2-56-42q48-4 56 42M2-236q44-2 52-44q-46 0-52 44\
          M0-276q-26-26 0-58q26 32 0 58'/></g>",
};

pub(super) const GRASS: Motif = Motif {
    tall: true,
    art: "<g fill='$a'><path d='M-8 0Q-20-190-96-280Q0-210 8 0z'/>\
          <path d='M-8 0Q-14-200 12-330Q30-180 8 0z' opacity='.85'/>\
          <path d='M-6 0Q20-160 104-220Q44-140 12 0z' opacity='.7'/>\
          <path d='M-8 0Q-30-110-104-150Q-12-130 6 0z' opacity='.6'/></g>",
};

pub(super) const COTTON: Motif = Motif {
    tall: true,
    art: "<path d='M0 0Q10-140-4-270M6-110Q40-150 52-186M5-150Q-30-180-46-206' fill='none' \
          stroke='#8b6f57' stroke-width='6'/>\
          <path d='M-22-272h0M14-272h0M-4-296h0M34-198h0M66-194h0M50-218h0M-62-214h0M-32-216h0\
          M-48-236h0' stroke='#c4d3dc' stroke-width='46' stroke-linecap='round'/>\
          <path d='M-22-275h0M14-275h0M-4-299h0M34-201h0M66-197h0M50-221h0M-62-217h0M-32-219h0\
          M-48-239h0' stroke='#fff' stroke-width='41' stroke-linecap='round'/>",
};

pub(super) const BLOSSOM: Motif = Motif {
    tall: false,
    art: "<path d='M20-30Q70-80 118-50Q76-6 20-30M-30-14Q-84-50-116-14Q-72 12-30-14' \
          fill='#8ba06a'/>\
          <path d='M0-64v30l29-9M-29-43l29 9 18 24M-18-10l18-24' \
          stroke='$f' stroke-width='42' stroke-linecap='round'/>\
          <path d='M0-64v30l29-9M-29-43l29 9 18 24M-18-10l18-24' \
          stroke='#fffdf8' stroke-width='36' stroke-linecap='round'/>\
          <circle cy='-34' r='13' fill='$a'/>\
          <path d='M70-18v16l15-5M55-7l15 5 9 12M61 10l9-12' stroke='#fffdf8' \
          stroke-width='22' stroke-linecap='round'/><circle cx='70' cy='-2' r='8' fill='$a'/>",
};

pub(super) const ROSE: Motif = Motif {
    tall: false,
    art: "<path d='M20-30Q80-80 122-40Q76 2 20-30M-20-10Q-84-40-110 0Q-62 20-20-10' \
          fill='#86a07c'/>\
          <circle cy='-34' r='50' fill='$a'/>\
          <path d='M-44-26A46 46 0 0 0 44-32M-30-58A36 36 0 0 0-8 2M32-62A40 40 0 0 1 36-6\
          M-22-34A24 24 0 1 1 20-22M-8-36A12 12 0 1 1 8-30' fill='none' stroke='$s' \
          opacity='.75' stroke-width='5' stroke-linecap='round'/>",
};

pub(super) const CITRUS: Motif = Motif {
    tall: false,
    art: "<path d='M40-30Q84-96 132-70Q100-20 40-30' fill='#8a9a4a'/>\
          <circle cx='46' cy='-26' r='46' fill='$a'/><circle cx='-20' cy='-40' r='60' fill='$a'/>\
          <circle cx='-20' cy='-40' r='53' fill='#fffaf0'/>\
          <circle cx='-20' cy='-40' r='46' fill='$w'/>\
          <path d='M-20-86v92M-66-40h92M-52-72l64 64M12-72l-64 64' stroke='#fffaf0' \
          stroke-width='6'/>",
};

pub(super) const CINNAMON: Motif = Motif {
    tall: false,
    art: "<g transform='rotate(-12)'><rect x='-96' y='-34' width='192' height='28' rx='14' \
          fill='$i'/><rect x='-90' y='-58' width='190' height='28' rx='14' fill='$a'/>\
          <rect x='-104' y='-12' width='196' height='28' rx='14' fill='$a'/>\
          <path d='M-76-50H84M-88-4H76' stroke='$w' stroke-width='4' opacity='.8'/>\
          <path d='M-8-62V20M8-62V20' stroke='$s' stroke-width='7'/></g>",
};

pub(super) const LOG: Motif = Motif {
    tall: false,
    art: "<path d='M-30-84H80a46 44 0 0 1 0 88H-30z' fill='$a'/>\
          <ellipse cx='-30' cy='-40' rx='46' ry='44' fill='$i'/>\
          <ellipse cx='-30' cy='-40' rx='40' ry='38' fill='$w'/>\
          <g fill='none' stroke='$a' stroke-width='4'><ellipse cx='-30' cy='-40' rx='28' ry='26'/>\
          <ellipse cx='-30' cy='-40' rx='16' ry='14'/></g><path d='M30-60h60M20-20h70' \
          stroke='$i' opacity='.5' stroke-width='4'/>",
};

pub(super) const FIG: Motif = Motif {
    tall: false,
    art: "<path d='M44-128q6 24 24 40c44 40 22 104-24 104s-68-64-24-104q18-16 24-40' \
          fill='$i'/>\
          <path d='M-34-110q6 22 24 36c44 40 20 96-24 96s-68-56-24-96q18-14 24-36' \
          fill='$a'/>\
          <path d='M-34-70c46 26 38 80 0 80s-46-54 0-80' fill='#f6dcd9'/>\
          <path d='M-34-48c30 16 26 48 0 48s-30-32 0-48' fill='#c2566a'/>\
          <path d='M-40-30h0M-28-30h0M-34-18h0M-44-16h0M-24-16h0' stroke='#f7e3b8' \
          stroke-width='6' stroke-linecap='round'/>",
};

pub(super) const COFFEE: Motif = Motif {
    tall: false,
    art: "<g fill='$a'><ellipse cx='-50' cy='-16' rx='36' ry='25' transform='rotate(-20 -50 -16)'/>\
          <ellipse cx='34' cy='-10' rx='36' ry='25' transform='rotate(24 34 -10)'/>\
          <ellipse cx='-4' cy='-44' rx='34' ry='24' transform='rotate(6 -4 -44)'/>\
          <ellipse cx='96' cy='-18' rx='30' ry='21' transform='rotate(-30 96 -18)'/></g>\
          <path d='M-80-6q18-20 30-10t30-12M4-22q24-2 28 10t30 18M-34-48q20-8 30 4t28 2\
          M72-4q10-20 24-14t24-16' fill='none' stroke='$s' opacity='.6' stroke-width='4'/>",
};

pub(super) const BERRIES: Motif = Motif {
    tall: false,
    art: "<path d='M10-70Q60-140 124-110Q84-50 10-70M0-74Q-60-120-104-84Q-60-46 0-74' \
          fill='#7f9a5c'/><g fill='none' stroke='$i' stroke-width='4'>\
          <path d='M-36-40Q-20-70 4-74Q30-70 42-34'/></g>\
          <circle cx='-38' cy='-18' r='36' fill='$a'/><circle cx='44' cy='-14' r='36' fill='$a'/>\
          <path d='M-54-46q-16 28 0 58M-38-52v66M-22-46q16 28 0 58M28-42q-16 28 0 58M44-48v66\
          M60-42q16 28 0 58' fill='none' stroke='$w' opacity='.8' stroke-width='4'/>",
};

//! The names of glyphs, and the encodings that are not the ones of an operating system.

use std::borrow::Cow;

use unicode_normalization::char::compose;

/// The text of a glyph by its name, as the Adobe Glyph List and its specification have it.
pub(super) fn text_of(name: &str) -> Option<Cow<'static, str>> {
    let name = match name.split_once('.') {
        Some(("", _)) => return None,
        Some((name, _)) => name,
        None => name,
    };
    if let Some(text) = text_of_one(name) {
        return Some(text);
    }
    // A ligature: `f_f_i`.
    let mut text = String::new();
    for part in name.split('_').take(8) {
        text.push_str(&text_of_one(part)?);
    }
    Some(Cow::Owned(text))
}

fn text_of_one(name: &str) -> Option<Cow<'static, str>> {
    let is_letter = |c: &char| c.is_ascii_alphabetic();
    let mut chars = name.chars();
    if let (Some(letter), None) = (chars.next().filter(is_letter), chars.next()) {
        return Some(Cow::Owned(letter.to_string()));
    }
    if let Some(text) = listed(name) {
        return Some(Cow::Borrowed(text));
    }
    let hex = |digits: &str| {
        let is_hex = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let number = is_hex.then(|| u32::from_str_radix(digits, 16));
        char::from_u32(number?.ok()?)
    };
    if let Some(digits) = name.strip_prefix("uni")
        && digits.len() >= 4
        && digits.is_ascii()
    {
        let parts = digits.as_bytes().chunks_exact(4).take(8);
        let text = parts.map(|part| hex(std::str::from_utf8(part).ok()?));
        if let Some(text) = text.collect::<Option<String>>() {
            return Some(Cow::Owned(text));
        }
    }
    if let Some(digits) = name.strip_prefix('u')
        && (4..=6).contains(&digits.len())
        && let Some(c) = hex(digits)
    {
        return Some(Cow::Owned(c.to_string()));
    }
    let number = name
        .strip_prefix("afii")
        .and_then(|number| number.parse().ok());
    if let Some(number) = number {
        return afii(number).map(|c| Cow::Owned(c.to_string()));
    }
    accented(name).map(|c| Cow::Owned(c.to_string()))
}

/// The text of a name that is in the list.
fn listed(name: &str) -> Option<&'static str> {
    let mut rest = GLYPHS;
    while !rest.is_empty() {
        // The entry around the middle.
        let middle = rest.len() / 2;
        let bytes = rest.as_bytes();
        let before = bytes.iter().take(middle).rposition(|byte| *byte == b' ');
        let start = before.map_or(0, |at| at + 1);
        let length = bytes.iter().skip(start).position(|byte| *byte == b' ');
        let end = length.map_or(rest.len(), |length| start + length);
        let (known, text) = rest.get(start..end)?.split_once('=')?;
        match known.cmp(name) {
            std::cmp::Ordering::Equal if text == "_" && name != "underscore" => return Some(" "),
            std::cmp::Ordering::Equal => return Some(text),
            std::cmp::Ordering::Less => rest = rest.get(end + 1..).unwrap_or_default(),
            std::cmp::Ordering::Greater => rest = rest.get(..start).unwrap_or_default().trim_end(),
        }
    }
    None
}

/// A letter with an accent: `eacute`.
fn accented(name: &str) -> Option<char> {
    let base = name.chars().next().filter(char::is_ascii_alphabetic)?;
    let (base, accent) = match name {
        name if name.starts_with("AE") => ('Æ', &name[2..]),
        name if name.starts_with("ae") => ('æ', &name[2..]),
        name if name.starts_with("Oslash") => ('Ø', &name[6..]),
        name if name.starts_with("oslash") => ('ø', &name[6..]),
        name => (base, &name[1..]),
    };
    let mark = match accent {
        "grave" => '\u{300}',
        "acute" => '\u{301}',
        "circumflex" => '\u{302}',
        "tilde" => '\u{303}',
        "macron" => '\u{304}',
        "breve" => '\u{306}',
        "dotaccent" | "dot" => '\u{307}',
        "dieresis" => '\u{308}',
        "hookabove" => '\u{309}',
        "ring" => '\u{30a}',
        "hungarumlaut" | "dblacute" => '\u{30b}',
        "caron" => '\u{30c}',
        "dotbelow" => '\u{323}',
        "commaaccent" | "cedilla" => '\u{327}',
        "ogonek" => '\u{328}',
        _ => return None,
    };
    // The comma below of Romanian is a mark of its own.
    let comma = match (base, accent) {
        ('S' | 's' | 'T' | 't', "commaaccent") => compose(base, '\u{326}'),
        _ => None,
    };
    comma.or_else(|| compose(base, mark))
}

/// Cyrillic and Hebrew letters by the numbers of a registry.
fn afii(number: u32) -> Option<char> {
    let code = match number {
        10023 => 0x401,
        10071 => 0x451,
        10017..=10022 => number - 10017 + 0x410,
        10024..=10049 => number - 10024 + 0x416,
        10065..=10070 => number - 10065 + 0x430,
        10072..=10097 => number - 10072 + 0x436,
        57664..=57690 => number - 57664 + 0x5d0,
        61352 => 0x2116,
        208 => 0x2015,
        _ => return None,
    };
    char::from_u32(code)
}

/// The letter with the mark of a spacing accent, as old programs print them over each other.
pub(super) fn with_accent(letter: char, accent: char) -> Option<char> {
    let mark = match accent {
        '`' => '\u{300}',
        '´' => '\u{301}',
        'ˆ' | '^' => '\u{302}',
        '˜' | '~' => '\u{303}',
        '¯' => '\u{304}',
        '˘' => '\u{306}',
        '˙' => '\u{307}',
        '¨' => '\u{308}',
        '˚' => '\u{30a}',
        '˝' => '\u{30b}',
        'ˇ' => '\u{30c}',
        '¸' => '\u{327}',
        '˛' => '\u{328}',
        mark @ '\u{300}'..='\u{36f}' => mark,
        _ => return None,
    };
    let letter = match letter {
        'ı' => 'i',
        'ȷ' => 'j',
        letter => letter,
    };
    compose(letter, mark)
}

/// The standard encoding of Adobe.
pub(super) fn standard(code: u8) -> Option<&'static str> {
    match code {
        b'\'' => Some("’"),
        b'`' => Some("‘"),
        0x20..0x7f => ascii(code),
        0xa1.. => entry(STANDARD, usize::from(code) - 0xa1),
        _ => None,
    }
}

/// The encoding of the font Symbol.
pub(super) fn symbol(code: u8) -> Option<&'static str> {
    match code {
        0x20..0x7f => entry(SYMBOL_LOW, usize::from(code) - 0x20),
        0xa0.. => entry(SYMBOL_HIGH, usize::from(code) - 0xa0),
        _ => None,
    }
}

fn entry(table: &'static str, at: usize) -> Option<&'static str> {
    table
        .split(' ')
        .nth(at)
        .map(|entry| match entry {
            "_" => " ",
            entry => entry,
        })
        .filter(|entry| *entry != "·no")
}

const ASCII: &str = " !\"#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[\\]^_`abcdefghijklmnopqrstuvwxyz{|}~";

fn ascii(code: u8) -> Option<&'static str> {
    let at = usize::from(code).checked_sub(0x20)?;
    ASCII.get(at..at + 1)
}

/// From the code 0xA1; `·no` where there is none.
const STANDARD: &str = "\
¡ ¢ £ ⁄ ¥ ƒ § ¤ ' “ « ‹ › fi fl ·no – † ‡ · ·no ¶ • ‚ „ ” » … ‰ ·no ¿ ·no ` ´ ˆ ˜ ¯ ˘ ˙ ¨ ·no \
˚ ¸ ·no ˝ ˛ ˇ — ·no ·no ·no ·no ·no ·no ·no ·no ·no ·no ·no ·no ·no ·no ·no ·no Æ ·no ª ·no \
·no ·no ·no Ł Ø Œ º ·no ·no ·no ·no ·no æ ·no ·no ·no ı ·no ·no ł ø œ ß ·no ·no ·no ·no";

/// From the code 0x20; `_` is a space.
const SYMBOL_LOW: &str = "\
_ ! ∀ # ∃ % & ∋ ( ) ∗ + , − . / 0 1 2 3 4 5 6 7 8 9 : ; < = > ? ≅ Α Β Χ Δ Ε Φ Γ Η Ι ϑ Κ Λ Μ Ν \
Ο Π Θ Ρ Σ Τ Υ ς Ω Ξ Ψ Ζ [ ∴ ] ⊥ ·no ‾ α β χ δ ε φ γ η ι ϕ κ λ μ ν ο π θ ρ σ τ υ ϖ ω ξ ψ ζ { | \
} ∼";

/// From the code 0xA0.
const SYMBOL_HIGH: &str = "\
€ ϒ ′ ≤ ⁄ ∞ ƒ ♣ ♦ ♥ ♠ ↔ ← ↑ → ↓ ° ± ″ ≥ × ∝ ∂ • ÷ ≠ ≡ ≈ … | ─ ↵ ℵ ℑ ℜ ℘ ⊗ ⊕ ∅ ∩ ∪ ⊃ ⊇ ⊄ ⊂ ⊆ ∈ \
∉ ∠ ∇ ® © ™ ∏ √ ⋅ ¬ ∧ ∨ ⇔ ⇐ ⇑ ⇒ ⇓ ◊ ⟨ ® © ™ ∑ ( | ( [ | [ { { { | ·no ⟩ ∫ ⌠ | ⌡ ) | ) ] | ] } \
} } ·no";

/// The width of printable ASCII in thousandths, of Helvetica and its like.
pub(super) const SANS: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The width of printable ASCII in thousandths, of Times and its like.
pub(super) const SERIF: [u16; 95] = [
    250, 333, 408, 500, 500, 833, 778, 180, 333, 333, 500, 564, 250, 333, 250, 278, 500, 500, 500,
    500, 500, 500, 500, 500, 500, 500, 278, 278, 564, 564, 564, 444, 921, 722, 667, 667, 722, 611,
    556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667, 556, 611, 722, 722, 944, 722,
    722, 611, 333, 278, 333, 469, 500, 333, 444, 500, 444, 500, 444, 333, 500, 500, 278, 278, 500,
    278, 778, 500, 500, 500, 500, 333, 389, 278, 500, 500, 722, 500, 500, 444, 480, 200, 480, 541,
];

/// The names of the standard strings of the Compact Font Format, without the expert ones.
pub(super) const STRINGS: &str = "\
.notdef space exclam quotedbl numbersign dollar percent ampersand quoteright parenleft \
parenright asterisk plus comma hyphen period slash zero one two three four five six seven \
eight nine colon semicolon less equal greater question at A B C D E F G H I J K L M N O P Q R \
S T U V W X Y Z bracketleft backslash bracketright asciicircum underscore quoteleft a b c d e \
f g h i j k l m n o p q r s t u v w x y z braceleft bar braceright asciitilde exclamdown cent \
sterling fraction yen florin section currency quotesingle quotedblleft guillemotleft \
guilsinglleft guilsinglright fi fl endash dagger daggerdbl periodcentered paragraph bullet \
quotesinglbase quotedblbase quotedblright guillemotright ellipsis perthousand questiondown \
grave acute circumflex tilde macron breve dotaccent dieresis ring cedilla hungarumlaut ogonek \
caron emdash AE ordfeminine Lslash Oslash OE ordmasculine ae dotlessi lslash oslash oe \
germandbls onesuperior logicalnot mu trademark Eth onehalf plusminus Thorn onequarter divide \
brokenbar degree thorn threequarters twosuperior registered minus eth multiply threesuperior \
copyright Aacute Acircumflex Adieresis Agrave Aring Atilde Ccedilla Eacute Ecircumflex \
Edieresis Egrave Iacute Icircumflex Idieresis Igrave Ntilde Oacute Ocircumflex Odieresis \
Ograve Otilde Scaron Uacute Ucircumflex Udieresis Ugrave Yacute Ydieresis Zcaron aacute \
acircumflex adieresis agrave aring atilde ccedilla eacute ecircumflex edieresis egrave iacute \
icircumflex idieresis igrave ntilde oacute ocircumflex odieresis ograve otilde scaron uacute \
ucircumflex udieresis ugrave yacute ydieresis zcaron";

/// The names that are no letters with accents, in the order of their bytes. A space is written as a
/// bar below it. One string, as pointers to its parts would take more room than they do.
const GLYPHS: &str = "\
AE=Æ Alpha=Α Alphatonos=Ά Asmall=A Beta=Β Bsmall=B Chi=Χ Csmall=C Dcroat=Đ Delta=Δ Dslash=Đ \
Dsmall=D Eng=Ŋ Epsilon=Ε Epsilontonos=Έ Esmall=E Eta=Η Etatonos=Ή Eth=Ð Euro=€ Fsmall=F \
Gamma=Γ Germandbls=ẞ Gsmall=G H18533=● H18543=▪ H18551=▫ H22073=□ Hbar=Ħ Hsmall=H IJ=IJ Idot=İ \
Idotaccent=İ Ifraktur=ℑ Iota=Ι Iotatonos=Ί Ismall=I Jsmall=J Kappa=Κ Ksmall=K Lambda=Λ Ldot=Ŀ \
Lslash=Ł Lsmall=L Msmall=M Mu=Μ Nsmall=N Nu=Ν OE=Œ Ohorn=Ơ Omega=Ω Omegatonos=Ώ Omicron=Ο \
Omicrontonos=Ό Oslash=Ø Osmall=O Phi=Φ Pi=Π Psi=Ψ Psmall=P Qsmall=Q Rfraktur=ℜ Rho=Ρ Rsmall=R \
SS=ẞ Schwa=Ə Sigma=Σ Ssmall=S Tau=Τ Tbar=Ŧ Theta=Θ Thorn=Þ Tsmall=T Uhorn=Ư Upsilon=Υ \
Upsilon1=ϒ Upsilontonos=Ύ Usmall=U Vsmall=V Wsmall=W Xi=Ξ Xsmall=X Ysmall=Y Zeta=Ζ Zsmall=Z \
acute=´ ae=æ aleph=ℵ alpha=α alphatonos=ά ampersand=& ampersandsmall=& angbracketleft=⟨ \
angbracketleftbig=⟨ angbracketright=⟩ angbracketrightbig=⟩ angle=∠ angleleft=⟨ angleright=⟩ \
approaches=≐ approxequal=≈ arrowboth=↔ arrowbothv=↕ arrowdblboth=⇔ arrowdbldown=⇓ \
arrowdblleft=⇐ arrowdblright=⇒ arrowdblup=⇑ arrowdown=↓ arrowhookleft=↩ arrowhookright=↪ \
arrowleft=← arrowlongleft=⟵ arrowlongright=⟶ arrownortheast=↗ arrownorthwest=↖ arrowright=→ \
arrowsoutheast=↘ arrowsouthwest=↙ arrowup=↑ asciicircum=^ asciitilde=~ assertion=⊦ asterisk=* \
asteriskmath=∗ asterism=⁂ at=@ backslash=\\ backslashmath=\\ bar=| bardbl=‖ because=∵ beta=β \
blackcircle=● braceleft={ braceleftBig={ braceleftBigg={ braceleftbig={ braceleftbigg={ \
braceright=} bracerightBig=} bracerightBigg=} bracerightbig=} bracerightbigg=} bracketleft=[ \
bracketleftBig=[ bracketleftBigg=[ bracketleftbig=[ bracketleftbigg=[ bracketright=] \
bracketrightBig=] bracketrightBigg=] bracketrightbig=] bracketrightbigg=] breve=˘ brokenbar=¦ \
bullet=• bulletmath=• caron=ˇ carriagereturn=↵ cedilla=¸ ceilingleft=⌈ ceilingleftbig=⌈ \
ceilingright=⌉ ceilingrightbig=⌉ cent=¢ check=✓ checkmark=✓ chi=χ circle=○ circlecopyrt=○ \
circledivide=⊘ circledot=⊙ circleminus=⊖ circlemultiply=⊗ circlemultiplydisplay=⊗ \
circlemultiplytext=⊗ circleplus=⊕ circleplusdisplay=⊕ circleplustext=⊕ circumflex=ˆ club=♣ \
colon=: colonmonetary=₡ comma=, congruent=≅ contourintegral=∮ coproduct=⨿ copyright=© \
copyrightsans=© copyrightserif=© ct=ct currency=¤ dagger=† daggerdbl=‡ dcroat=đ degree=° \
delta=δ diamond=♦ diamondmath=⋄ dieresis=¨ dieresistonos=΅ divide=÷ divides=∣ dmacron=đ \
dollar=$ dollaroldstyle=$ dong=₫ dotaccent=˙ dotlessi=ı dotlessj=ȷ dotmath=⋅ eight=8 \
eightinferior=₈ eightoldstyle=8 eightsuperior=⁸ element=∈ ellipsis=… emdash=— emptyset=∅ \
emspace=_ endash=– eng=ŋ enspace=_ epsilon=ε epsilon1=ε epsiloninv=϶ epsilontonos=έ equal== \
equivalence=≡ equivasymptotic=≍ estimated=℮ eta=η etatonos=ή eth=ð euro=€ exclam=! exclamdbl=‼ \
exclamdown=¡ exclamsmall=! existential=∃ female=♀ ff=ff ffi=ffi ffj=ffj ffl=ffl fi=fi \
figuredash=‒ filledbox=■ five=5 fiveeighths=⅝ fiveinferior=₅ fiveoldstyle=5 fivesuperior=⁵ \
fj=fj fl=fl flat=♭ floorleft=⌊ floorleftbig=⌊ floorright=⌋ floorrightbig=⌋ florin=ƒ follows=≻ \
followsequal=⪰ four=4 fourinferior=₄ fouroldstyle=4 foursuperior=⁴ fraction=⁄ franc=₣ ft=ft \
gamma=γ germandbls=ß gradient=∇ grave=` greater=> greaterequal=≥ greatermuch=≫ guillemetleft=« \
guillemetright=» guillemotleft=« guillemotright=» guilsinglleft=‹ guilsinglright=› \
harpoonleftup=↼ harpoonrightup=⇀ hbar=ħ heart=♥ horizontalbar=― house=⌂ hungarumlaut=˝ \
hyphen=- hyphenchar=- hyphenminus=- ij=ij infinity=∞ integral=∫ integraldisplay=∫ \
integraltext=∫ intersection=∩ intersectiondisplay=⋂ intersectionsq=⊓ intersectiontext=⋂ \
invbullet=◘ invcircle=◙ iota=ι iotadieresis=ϊ iotatonos=ί kappa=κ kappa1=ϰ kgreenlandic=ĸ \
lambda=λ latticetop=⊤ ldot=ŀ less=< lessequal=≤ lessmuch=≪ lira=₤ logicaland=∧ \
logicalanddisplay=⋀ logicalandtext=⋀ logicalnot=¬ logicalnotmath=¬ logicalor=∨ \
logicalordisplay=⋁ logicalortext=⋁ longs=ſ lozenge=◊ lscript=ℓ lslash=ł macron=¯ male=♂ \
mapsto=↦ middot=· minus=− minusplus=∓ minute=′ mu=µ mu1=µ multiply=× musicalnote=♪ nabla=∇ \
napostrophe=ŉ natural=♮ nbspace=_ negationslash=\u{338} nine=9 nineinferior=₉ nineoldstyle=9 \
ninesuperior=⁹ nonbreakingspace=_ norelement=∉ notelement=∉ notequal=≠ notgreater=≯ notless=≮ \
notsubset=⊄ nsuperior=ⁿ nu=ν numbersign=# numero=№ oe=œ ogonek=˛ ohorn=ơ omega=ω omega1=ϖ \
omegatonos=ώ omicron=ο omicrontonos=ό one=1 onedotenleader=․ oneeighth=⅛ onehalf=½ \
oneinferior=₁ oneoldstyle=1 onequarter=¼ onesuperior=¹ onethird=⅓ openbullet=◦ ordfeminine=ª \
ordmasculine=º orthogonal=∟ oslash=ø overline=‾ owner=∋ paragraph=¶ parallel=∥ parenleft=( \
parenleftBig=( parenleftBigg=( parenleftbig=( parenleftbigg=( parenright=) parenrightBig=) \
parenrightBigg=) parenrightbig=) parenrightbigg=) partialdif=∂ partialdiff=∂ percent=% \
period=. periodcentered=· perpcorrespond=⊥ perpendicular=⊥ perthousand=‰ peseta=₧ phi=φ phi1=ϕ \
pi=π pi1=ϖ plus=+ plusminus=± plusminusmath=± precedes=≺ precedesequal=⪯ prescription=℞ \
prime=′ product=∏ productdisplay=∏ producttext=∏ propersubset=⊂ propersuperset=⊃ \
proportional=∝ psi=ψ question=? questiondown=¿ quotedbl=\" quotedblbase=„ quotedblleft=“ \
quotedblright=” quoteleft=‘ quotereversed=‛ quoteright=’ quotesinglbase=‚ quotesingle=' \
radical=√ radicalBig=√ radicalBigg=√ radicalbig=√ radicalbigg=√ reflexsubset=⊆ \
reflexsuperset=⊇ registered=® registersans=® registerserif=® rho=ρ rho1=ϱ ring=˚ \
ringoperator=∘ rupiah=Rp satisfies=⊨ schwa=ə second=″ section=§ semicolon=; seven=7 \
seveneighths=⅞ seveninferior=₇ sevenoldstyle=7 sevensuperior=⁷ sfthyphen=- sharp=♯ sigma=σ \
sigma1=ς sigmafinal=ς similar=∼ similarequal=≃ six=6 sixinferior=₆ sixoldstyle=6 sixsuperior=⁶ \
slash=/ slurabove=⌢ slurbelow=⌣ smileface=☺ softhyphen=- space=_ spade=♠ square=□ \
squaresolid=■ st=st star=⋆ sterling=£ subsetsqequal=⊑ suchthat=∋ summation=∑ \
summationdisplay=∑ summationtext=∑ sun=☼ supersetsqequal=⊒ tau=τ tbar=ŧ therefore=∴ theta=θ \
theta1=ϑ thinspace=_ thorn=þ three=3 threeeighths=⅜ threeinferior=₃ threeoldstyle=3 \
threequarters=¾ threesuperior=³ tie=⁀ tilde=˜ tonos=΄ trademark=™ trademarksans=™ \
trademarkserif=™ triagdn=▼ triaglf=◄ triagrt=► triagup=▲ triangle=△ triangleinv=▽ \
triangleleft=◁ triangleright=▷ turnstileleft=⊢ turnstileright=⊣ two=2 twodotenleader=‥ \
twoinferior=₂ twooldstyle=2 twosuperior=² twothirds=⅔ uhorn=ư underscore=\u{5f} \
underscoredbl=‗ union=∪ uniondisplay=⋃ unionmulti=⊎ unionsq=⊔ uniontext=⋃ universal=∀ \
upsilon=υ upsilondieresis=ϋ upsilontonos=ύ varepsilon=ε vextenddouble=‖ vextendsingle=| \
visiblespace=_ weierstrass=℘ weierstrassp=℘ won=₩ wreathproduct=≀ xi=ξ yen=¥ zero=0 \
zeroinferior=₀ zerooldstyle=0 zerosuperior=⁰ zeta=ζ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_in_order() {
        let names = GLYPHS
            .split(' ')
            .map(|entry| entry.split_once('=').unwrap().0);
        assert!(names.clone().is_sorted_by(|a, b| a < b));
        assert!(names.clone().all(|name| listed(name).is_some()));
        assert_eq!(STRINGS.split(' ').count(), 229);
        assert_eq!(STANDARD.split(' ').count(), 0x100 - 0xa1);
        assert_eq!(SYMBOL_LOW.split(' ').count(), 0x7f - 0x20);
        assert_eq!(SYMBOL_HIGH.split(' ').count(), 0x100 - 0xa0);
    }

    #[test]
    fn a_glyph_has_a_text() {
        for (name, text) in [
            ("A", "A"),
            ("A.sc", "A"),
            ("eacute", "é"),
            ("Scommaaccent", "Ș"),
            ("f_f_i", "ffi"),
            ("fi", "fi"),
            ("uni20AC", "€"),
            ("uni00660069", "fi"),
            ("u1F600", "😀"),
            ("afii10017", "А"),
            ("arrowright", "→"),
            ("space", " "),
            ("underscore", "_"),
            ("equal", "="),
        ] {
            assert_eq!(text_of(name).as_deref(), Some(text), "{name}");
        }
        for name in [".notdef", "g12", "", "uniD800", "é"] {
            assert_eq!(text_of(name), None, "{name}");
        }
        assert_eq!(standard(0xae), Some("fi"));
        assert_eq!(standard(0xfb), Some("ß"));
        assert_eq!(symbol(b'a'), Some("α"));
        assert_eq!(symbol(0xae), Some("→"));
        assert_eq!(with_accent('ı', '´'), Some('í'));
    }
}

// Characters without a glyph, which hide text from people but not from models.

// Zero-width and filler characters, bidi marks, interlinear marks, tags, a variation selector after another.
const INVISIBLE =
  /\u{34f}|\u{17b4}|\u{17b5}|[\u{180b}-\u{180f}]|[\u00ad\u061c\u115f\u1160\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb]|[\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}]|(?<=[\ufe00-\ufe0f])[\ufe00-\ufe0f]/gu

export const withoutInvisible = (text: string): string => text.replace(INVISIBLE, '')

// Finds secrets before logging or storing: by field name and by the shape of a text.

/** Compared after lower-casing and dropping everything but letters and digits, so `X-Api-Key` is `xapikey`. */
const SECRET_NAMES =
  /(?:password|passwd|passphrase|secret|token|apikey|privatekey|accesskey|signingkey|encryptionkey|sessionkey|authorization|cookie|cookies|credential|credentials|csrf|jwt|bearer)$/

export function namesSecret(name: string): boolean {
  return SECRET_NAMES.test(name.toLowerCase().replace(/[^a-z0-9]/g, ''))
}

type Mask = { readonly pattern: RegExp; readonly replacement: string }

/** Every pattern is linear: one run of a class of characters after a fixed beginning. */
const MASKS: readonly Mask[] = [
  { pattern: /\b(bearer|basic)[ \t]+[\w+/=.~-]{6,}/gi, replacement: '$1 ***' },
  // The gateway's keys have 43 characters; metric names with the same prefix are shorter.
  { pattern: /\b(mcp|gil)_[\w-]{43,}/g, replacement: '$1_***' },
  // Checks the end of a run of such characters before searching for a token's start in it.
  {
    pattern: /(?<![\w-])(?=[\w-]{4,}\.eyJ[\w-]+\.)((?:[\w-]*?-)??)eyJ[\w-]+\.eyJ[\w-]+\.[\w-]*/g,
    replacement: '$1***jwt***',
  },
  { pattern: /(gantry_(?:session|csrf)=)[^;,\s"]+/g, replacement: '$1***' },
  { pattern: /(:\/\/)[^/\s@"']+@/g, replacement: '$1***@' },
  {
    pattern:
      /([?&](?:access_token|refresh_token|id_token|token|api_?key|key|secret|client_secret|password|code|sig|signature)=)[^&#\s"']+/gi,
    replacement: '$1***',
  },
  { pattern: /-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*/g, replacement: '***private key***' },
]

/** Most texts contain none of these prefixes and are skipped after one test. */
const SUSPECT = /bearer|basic|mcp_|gil_|eyJ|gantry_|:\/\/|[?&]\w+=|PRIVATE KEY/i

export function maskSecrets(text: string): string {
  if (!SUSPECT.test(text)) return text
  return MASKS.reduce((masked, { pattern, replacement }) => masked.replace(pattern, replacement), text)
}

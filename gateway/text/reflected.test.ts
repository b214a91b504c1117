// Our credential in every spelling, charset and cut never appears in outgoing text.
import { describe, expect, it } from 'vitest'
import { credentialOf } from '../registry/credentials.ts'
import { foreignExcerpt, foreignMessage, foreignText, foreignValue, holdsCredential } from './foreign-text.ts'
import { growthOf } from './growth.fixture.ts'
import { redaction } from './redact.ts'

const SECRET = 'tok-Xy9+/Zq&"7\'é=end'
const bearer = { secrets: credentialOf({ type: 'bearer', token: SECRET }).secrets }
const each = (spell: (letter: string) => string) => (text: string) => Array.from(text, spell).join('')
const hex = (letter: string) => (letter.codePointAt(0) ?? 0).toString(16)
const percent = (letter: string) =>
  Array.from(Buffer.from(letter), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')
const NAMES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
  '+': '&plus;',
  '/': '&sol;',
  '=': '&equals;',
}
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const base64 = (before: number) => (text: string) =>
  Buffer.from(`${'>'.repeat(before)}${text}${'<'.repeat(5)}`).toString('base64')

type Spell = (text: string) => string
const SPELLINGS: readonly (readonly [string, Spell])[] = [
  ['as it is', (text) => text],
  ['in lower case', (text) => text.toLowerCase()],
  ['in upper case', (text) => text.toUpperCase()],
  ['after a scheme', (text) => `Bearer ${text}`],
  ['as UTF-8 read as another charset', (text) => Buffer.from(text).toString('latin1')],
  ['in Base64', (text) => Buffer.from(text).toString('base64')],
  ['in Base64 for addresses', (text) => Buffer.from(text).toString('base64url')],
  ...[0, 1, 2, 3].map((before) => [`in longer Base64, ${before} bytes in`, base64(before)] as const),
  ['in longer Base64 for addresses', (text) => base64(1)(text).replaceAll('+', '-').replaceAll('/', '_')],
  ['in hex', (text) => Buffer.from(text).toString('hex')],
  ['in upper-case hex', (text) => Buffer.from(text).toString('hex').toUpperCase()],
  ['percent-encoded', encodeURIComponent],
  ['percent-encoded letter by letter', each(percent)],
  ['percent-encoded in upper case', each((letter) => percent(letter).toUpperCase())],
  ['percent-encoded in part', (text) => encodeURI(text)],
  ['percent-encoded twice', (text) => encodeURIComponent(encodeURIComponent(text))],
  ['in JSON', json],
  ['in JSON with every slash escaped', (text) => json(text).replaceAll('/', '\\/')],
  ['in JSON escapes', each((letter) => `\\u${hex(letter).padStart(4, '0')}`)],
  ['in upper-case JSON escapes', each((letter) => `\\u${hex(letter).toUpperCase().padStart(4, '0')}`)],
  ['in JSON in JSON', (text) => json(json(text))],
  ['in escapes of JSON in JSON', (text) => json(each((letter) => `\\u${hex(letter).padStart(4, '0')}`)(text))],
  ['in named HTML entities', each((letter) => NAMES[letter] ?? letter)],
  ['in decimal HTML entities', each((letter) => `&#${letter.codePointAt(0)};`)],
  ['in hex HTML entities', each((letter) => `&#x${hex(letter)};`)],
  ['in upper-case HTML entities', each((letter) => `&#X${hex(letter).toUpperCase()};`)],
  ['in entities of entities', each((letter) => `&amp;#${letter.codePointAt(0)};`)],
  ['with zero-width characters', each((letter) => `${letter}\u200b`)],
  ['with soft hyphens', each((letter) => `${letter}\u00ad`)],
  ['with control characters', each((letter) => `${letter}\u0001`)],
]

describe('our credential', () => {
  it.each(SPELLINGS)('%s is masked (security case RS-01) [ct.5.11.credential]', (_how, spell) => {
    const text = `key: ${spell(SECRET)}.`
    const shown = foreignText(text, bearer)
    expect(shown).toContain('[credential removed]')
    for (const piece of [spell(SECRET), spell(SECRET).slice(0, 12), spell(SECRET).slice(-12)])
      expect(shown).not.toContain(piece)
    expect(holdsCredential(text, bearer)).toBe(true)
    expect(JSON.stringify(foreignValue({ [text]: [text] }, bearer))).not.toContain(spell(SECRET))
  })

  it.each(SPELLINGS)('%s leaves no beginning where the text was cut (security case RS-01)', (_how, spell) => {
    const whole = spell(SECRET)
    // Eight letters are enough to recognize.
    const piece = spell(SECRET.slice(0, 9)).slice(0, -6)
    for (let end = 0; end < whole.length; end += 1) {
      const bytes = Buffer.from(`{"key":"${whole.slice(0, end)}`)
      const body = { bytes, contentType: 'application/json', isCut: true }
      if (piece.length >= 8 && !piece.startsWith('Bearer'))
        expect(foreignExcerpt(body, bearer, 8_192)).not.toContain(piece)
    }
  })

  it.each(SPELLINGS)('%s leaves no piece at the edge of what is shown', (_how, spell) => {
    const whole = spell(SECRET)
    const piece = whole.slice(0, 8)
    for (let shown = 0; shown <= whole.length; shown += 1) {
      const bytes = Buffer.from(`${'x'.repeat(500 - shown)} ${whole} and more`)
      const text = foreignExcerpt({ bytes, contentType: 'text/plain', isCut: false }, bearer, 500)
      if (!piece.startsWith('Bearer')) expect(text).not.toContain(piece)
    }
  })

  it.each(['utf-8', 'utf-16le', 'utf-16be', 'windows-1252', 'iso-8859-1'])('in %s is masked', (charset) => {
    const encoded = {
      'utf-8': () => Buffer.from(`é ${SECRET}`),
      'utf-16le': () => Buffer.from(`é ${SECRET}`, 'utf16le'),
      'utf-16be': () => Buffer.from(`é ${SECRET}`, 'utf16le').swap16(),
    }[charset]
    const bytes = encoded?.() ?? Buffer.from(`é ${SECRET}`, 'latin1')
    const body = { bytes, contentType: `text/plain; charset=${charset}`, isCut: false }
    expect(foreignExcerpt(body, bearer, 8_192)).toBe('é [credential removed]')
  })

  it('is masked in multi-byte charsets', () => {
    const bytes = Buffer.concat([Buffer.from([0xc4, 0xe3, 0xba, 0xc3]), Buffer.from(' tok-123456789')])
    const body = { bytes, contentType: 'text/plain; charset=gb18030', isCut: false }
    expect(foreignExcerpt(body, { secrets: ['tok-123456789'] }, 8_192)).toBe('你好 [credential removed]')
  })

  it('is masked in each of its parts', () => {
    const pair = { secrets: credentialOf({ type: 'basic', username: 'ann', password: 'pass-word-7' }).secrets }
    for (const text of ['pass-word-7', 'ann:pass-word-7', Buffer.from('ann:pass-word-7').toString('base64')])
      expect(foreignText(`<${text}>`, pair)).toBe('<[credential removed]>')
    const value = 'theme=light; sid="s%2Dab12cd34"; csrf=zz99yy88xx77'
    const cookie = { secrets: credentialOf({ type: 'header', headerName: 'Cookie', value }).secrets }
    for (const text of [value, 's%2Dab12cd34', 's-ab12cd34', 'zz99yy88xx77'])
      expect(foreignText(`<${text}>`, cookie)).toBe('<[credential removed]>')
    expect(foreignText('a light theme', cookie)).toBe('a light theme')
    const named = { type: 'header', headerName: 'Authorization' } as const
    const scheme = { secrets: credentialOf({ ...named, value: 'Token k3y-k3y-k3y' }).secrets }
    expect(foreignText('<k3y-k3y-k3y>', scheme)).toBe('<[credential removed]>')
    const encoded = Buffer.from('ann:pass-word-7').toString('base64')
    const basic = { secrets: credentialOf({ ...named, value: `Basic ${encoded}` }).secrets }
    for (const text of [encoded, 'pass-word-7']) expect(foreignText(`<${text}>`, basic)).toBe('<[credential removed]>')
  })

  it('is masked as a number', () => {
    const secrets = credentialOf({ type: 'bearer', token: '12345678901234567890' }).secrets
    const value: unknown = JSON.parse('{"key":12345678901234567890,"id":5}')
    expect(foreignValue(value, { secrets })).toEqual({ key: '[credential removed]', id: 5 })
  })

  it('is masked inside the Base64 of a block', () => {
    const data = Buffer.from(`\u0000\u0001${SECRET}\u0002`).toString('base64')
    const { blob } = foreignValue({ blob: data }, bearer) as { blob: string } // the value keeps its shape
    expect(Buffer.from(blob, 'base64').toString()).toBe('\u0000\u0001[credential removed]\u0002')
  })
})

describe('time', () => {
  it.each([
    ['escapes', '%41'],
    ['entities', '&#65;'],
    ['ampersands', '&'],
    ['backslashes', '\\'],
    ['beginnings of the credential', SECRET.slice(0, -1)],
    ['zero-width characters', '\u200b'],
  ])('grows with the length of a text of %s', (_what, piece) => {
    const text = piece.repeat(Math.ceil(262_144 / piece.length))
    const long = text.repeat(8)
    const read = (given: string) => (round: number) => foreignText(`${round}${given}`, bearer)
    expect(growthOf(read(text), read(long), 40)).toBeLessThan(40)
  })
})

describe('redaction', () => {
  const withheld = { secrets: [], redact: redaction(['user.email']) }
  const hidden = '{"user":{"email":"[REDACTED]"}}'

  it('applies to JSON in texts, lines and events', () => {
    const text = '{"user":{"email":"a@b.c"}}'
    expect(foreignText(text, withheld)).toBe(hidden)
    expect(foreignText(`${text}\n${text}\n`, withheld)).toBe(`${hidden}\n${hidden}\n`)
    expect(foreignText(`event: x\ndata: ${text}\n\n`, withheld)).toBe(`event: x\ndata: ${hidden}\n\n`)
    expect(foreignText('user.email is a@b.c', withheld)).toBe('user.email is a@b.c')
    expect(foreignMessage({ content: { text } }, withheld)).toEqual({ content: { text: hidden } })
  })

  it('withholds JSON that was cut or is too deep to redact', () => {
    const bytes = Buffer.from('{"user":{"email":"a@b.c"')
    expect(foreignExcerpt({ bytes, contentType: 'application/json', isCut: true }, withheld, 8_192)).not.toContain(
      'a@b',
    )
    const deep = `${'['.repeat(100_000)}{"user":{"email":"a@b.c"}}${']'.repeat(100_000)}`
    expect(foreignText(deep, withheld)).not.toContain('a@b')
  })
})

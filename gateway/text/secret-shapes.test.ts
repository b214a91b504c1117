// Secret shapes: finds those of the contract, ignores placeholders, in linear time.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { growthOf } from './growth.fixture.ts'
import { findSecret } from './secret-shapes.ts'

describe('secret shapes', () => {
  const file = new URL('../../e2e/corpora/secrets/samples.jsonl', import.meta.url)
  type Sample = {
    readonly id: string
    readonly kind: string
    /** Base64-encoded, because repository scanners report such texts. */
    readonly text: string
    readonly positive: boolean
    readonly core: boolean
  }
  /** The shapes the contract names. */
  const named = /^(?:aws|aws_key|private-key|jwt|github.*|gitlab.*|slack.*|gcp-api-key|openai|anthropic|stripe.*)$/
  /** A document's URL listed under Slack. */
  const shapeless = ['sec-0513']

  it('of the core are all found [ct.8.4.secrets]', ({ annotate }) => {
    const samples = readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Sample)
      .map(({ text, ...sample }) => ({ ...sample, text: Buffer.from(text, 'base64').toString() }))
    const core = samples.filter(
      ({ id, kind, core, positive }) => core && positive && named.test(kind) && !shapeless.includes(id),
    )
    const missed = core.filter(({ text }) => findSecret(text) === undefined)
    const negatives = samples.filter(({ positive }) => !positive)
    const wrong = negatives.filter(({ text }) => findSecret(text) !== undefined)
    void annotate(`${wrong.length} of ${negatives.length} look-alikes are taken for secrets`)
    expect(core.length).toBeGreaterThan(30)
    expect(missed.map(({ id }) => id)).toEqual([])
    // Some are listed as both, and some are public keys by design.
    expect(wrong.length / negatives.length).toBeLessThan(0.065)
  })

  it.each([
    ['private key', '-----BEGIN RSA PRIVATE KEY-----'],
    ['JWT', 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdefghijk'],
    ['GitHub token', `ghp_${'a'.repeat(36)}`],
    ['AWS secret key', JSON.stringify({ secretAccessKey: 'aB3/'.repeat(10) })],
    ['AWS secret key', JSON.stringify(JSON.stringify({ AWS_SECRET_ACCESS_KEY: 'aB3/'.repeat(10) }))],
    ['AWS key id', 'AKIAIOSFODNN7EXAMPLE AKIAIOSFODNN7ABCDEFG'],
    ['AWS key id', 'AKIAIOSFODNN7EXAMPLE '.repeat(200)],
    ['bearer token', `Bearer ${'a'.repeat(20)}`],
  ])('%s is named [ct.8.4.secrets]', (name, text) => {
    expect(findSecret(`x ${text} y`)).toBe(name)
  })

  it.each([
    'AKIAIOSFODNN7EXAMPLE',
    'sk-ant-api02-not-a-real-key',
    `glpat-${'x'.repeat(20)}`,
    'gloas-too-short-to-be-one-of-them',
  ])('%s is a placeholder', (text) => {
    expect(findSecret(text)).toBeUndefined()
  })

  it.each(['eyJ', 'xoxb', 'Bearer  ', '-----BEGIN ', 'ghp_ '])(
    'long runs of %j are no secret, and that is found out soon (security case RX-01)',
    (text) => {
      const find = (times: number) => (round: number) => {
        const given = text.repeat(times + round)
        expect(findSecret(given)).toBeUndefined()
      }
      expect(growthOf(find(6_250), find(50_000), 40)).toBeLessThan(40)
    },
  )
})

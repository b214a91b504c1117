// The settings of the product, row by row, against the defaults and ranges of the specification.
import { describe, expect, it } from 'vitest'
import { loadSettings } from '../../gateway/settings/load.ts'
import { isSettingName, rowOf, type SettingName } from '../../gateway/settings/table.ts'
import { OWN_SETTINGS, SETTING_RANGES } from '../requirements/contract/17-settings.ts'
import { SETTING_DEFAULTS } from '../requirements/gateway/settings.ts'
import { aGateway } from './gateway.fixture.ts'

const load = (env: Record<string, string>) =>
  loadSettings({
    env: { HOME: '/h', ...env },
    readFile: () => {
      throw new Error('no file is named')
    },
  })

function known(name: string): SettingName {
  if (!isSettingName(name)) throw new Error(`${name} is not a setting`)
  return name
}

/** The default is what the loader gives to an unset value, and the same as the text of the document, read by it. */
function expectDefault(name: string, documented: string) {
  const value = load({}).settings[known(name)]
  if (documented === 'unset') return expect(['null', '[]', '{}']).toContain(JSON.stringify(value))
  const { settings, problems } = load({ [name]: documented })
  expect(problems).toEqual([])
  expect(value).toEqual(settings[known(name)])
}

function expectRange(name: string, min: number, max: number) {
  const { parse } = rowOf(known(name))
  for (const inside of [min, max]) expect(parse(String(inside))).toEqual({ value: inside })
  for (const outside of [min - 1, max + 1]) expect(parse(String(outside))).toHaveProperty('wrong')
}

/** A value each kind must refuse; kinds that take any text are not here. */
const REFUSED: Readonly<Record<string, string>> = {
  ip: 'localhost',
  url: 'no url',
  boolean: 'yes',
  'one-of': 'none-of-them',
  secret: '',
  pairs: 'no pair',
  list: 'two words',
  ports: '70000',
}

// cites: gw.default.* ct.17.as-specified
describe.each(SETTING_DEFAULTS)('$name', ({ name, default: documented }) => {
  it(`is ${documented} by default`, () => expectDefault(name, documented))
})

// cites: ct.17.2.* ct.0.8.rate-range
describe.each(SETTING_RANGES)('$name', ({ name, min, max }) => {
  it(`takes ${min} and ${max} and nothing beyond`, () => expectRange(name, min, max))
})

// cites: ct.17.1.*
describe.each(OWN_SETTINGS)('$name', ({ name, type, default: documented }) => {
  it(`is ${documented} by default`, () => {
    if (documented === 'worked-out') expect(load({}).settings[known(name)]).not.toBeNull()
    else expectDefault(name, documented)
  })

  it(`takes a value of the kind ${type} only`, () => {
    const [min, max] = type.split('..').map(Number)
    if (min !== undefined && max !== undefined) return expectRange(name, min, max)
    const refused = REFUSED[type]
    if (refused !== undefined) expect(rowOf(known(name)).parse(refused)).toHaveProperty('wrong')
    else expect(rowOf(known(name)).parse('anything')).toEqual({ value: 'anything' })
  })
})

it('bounds the response cache by bytes [ct.0.9.cache-bytes-range]', () => {
  expectDefault('CACHE_MAX_BYTES', '268435456')
  expectRange('CACHE_MAX_BYTES', 1_048_576, 17_179_869_184)
})

it('bounds the tools of a bundle [ct.0.19.setting]', () => {
  expectDefault('MAX_TOOLS_PER_BUNDLE', '5000')
  expectRange('MAX_TOOLS_PER_BUNDLE', 1, 10_000)
})

// cites: gw.auth-var.jwt-hatch-default gw.auth-var.auto_gate_default gw.auth-var.expose_docs
// cites: gw.auth-var.session_cookie_secure gw.auth-var.kms_transit_key_name
it.each([
  ['ALLOW_UNSAFE_JWT_NO_AUDIENCE', 'false'],
  ['AUTO_GATE_WRITE_METHODS', 'false'],
  ['EXPOSE_DOCS_UNAUTHENTICATED', 'false'],
  ['SESSION_COOKIE_SECURE', 'true'],
  ['KMS_TRANSIT_KEY_NAME', 'gantry'],
])('%s is %s by default', expectDefault)

it('reports at the start that REDIS_URL does nothing without RATE_LIMIT_SHARED', async () => {
  const text = 'REDIS_URL has no effect without RATE_LIMIT_SHARED=true'
  expect((await aGateway({})).output()).not.toContain(text)
  expect((await aGateway({ REDIS_URL: 'redis://127.0.0.1:1' })).output()).toContain(text)
})

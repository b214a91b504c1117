// Tests that apply to every row of the settings table.
import { describe, expect, it } from 'vitest'
import { loadSettings } from './load.ts'
import { describeProblems, fatal } from './problem.ts'
import { rowOf, SETTING_NAMES, type SettingName } from './table.ts'

const load = (env: Record<string, string>) =>
  loadSettings({
    env: { HOME: '/home/someone', ...env },
    readFile: () => {
      throw new Error('no file is named')
    },
  })

/** Values that no row of the type accepts. */
const BAD: Readonly<Record<string, readonly string[]>> = {
  'true or false': ['yes', 'TRUE', '1', ' true'],
  choice: ['no-such-choice'],
  'whole number or `auto`': ['0', '257', '-1', '1.5', 'AUTO', '1e1'],
  text: ['x'.repeat(1025)],
  path: ['x'.repeat(4097)],
  secret: ['x'.repeat(65_537)],
  URL: ['not a url', 'gopher://host/', '//host'],
  'IP address': ['localhost', '999.1.1.1'],
  'list of origins': ['https://ok.example, not an origin', 'https://a.example/path'],
  'list of hosts': ['http://host'],
  'list of keys': ['two words'],
  'list of scopes': ['two words', 'a"b'],
  'list of domains': ['a b'],
  'list of ports': ['0', '70000', '20-10', '1-65535', 'http'],
  'claim=role pairs': ['staff', 'staff=king'],
  'k=v pairs': ['novalue', '=value'],
  'hop count or list of ranges': ['33', 'everyone', '10.0.0.0/33', '10.0.0.0/8/8'],
}

function badValues(name: SettingName): readonly string[] {
  const row = rowOf(name)
  const bounds = /^(-?\d+)\.\.(\d+)$/.exec(row.range)
  if (bounds === null) return BAD[row.type] ?? []
  const outside = [String(Number(bounds[1]) - 1), String(Number(bounds[2]) + 1)]
  return [...outside, 'abc', '1.5', '1e3', '0x10', '99999999999999999999']
}

describe.each(SETTING_NAMES)('%s', (name) => {
  const row = rowOf(name)

  it('rejects an unusable value, names its range and uses a safe one [ct.17.reported ct.17.lenient ct.17.booleans gw.limits.range gw.error.10-config]', () => {
    const values = badValues(name)
    expect(values).not.toEqual([])
    for (const value of values) {
      const { settings, sources, problems } = load({ [name]: value })
      const problem = problems.find(({ variable }) => variable === name)
      expect(problem).toMatchObject({ variable: name, allowed: row.range })
      expect(describeProblems(problems)).toContain(row.range)
      expect(sources[name]).toBe('default')
      if (row.fallback !== null) expect(settings[name]).toEqual(row.fallback)
      if (row.secret) expect(describeProblems(problems)).not.toContain(value)
    }
  })

  it('aborts on such a value under STRICT_CONFIG=production [gw.setting.strict_config]', () => {
    if (name === 'STRICT_CONFIG') return expect(fatal(load({ [name]: 'Production' }).problems)).toBe(false)
    for (const value of badValues(name)) {
      const { problems } = load({ [name]: value, STRICT_CONFIG: 'production' })
      expect(problems.find(({ variable }) => variable === name)?.severity).toBe('fatal')
    }
  })

  it('has a default within its range, and accepts both limits', () => {
    const bounds = /^(-?\d+)\.\.(\d+)$/.exec(row.range)
    for (const end of bounds?.slice(1) ?? []) expect(row.parse(end)).toEqual({ value: Number(end) })
    if (row.shownDefault === 'unset' || row.type === 'path') return
    expect(row.parse(row.shownDefault)).toEqual({ value: row.default })
  })

  it('has a description', () => {
    expect(row.section).not.toBe('')
    expect(row.meaning.length).toBeGreaterThan(5)
    expect(row.type).not.toBe('')
  })
})

it('loads defaults only, without problems', () => {
  const { problems, sources } = load({})
  expect(problems).toEqual([])
  expect(new Set(Object.values(sources))).toEqual(new Set(['default']))
})

// The fields of a form come from its schema, and what is sent from its draft; every feature has words for its fields.
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { FEATURE_NAMES, FEATURES } from '#contract'
import { GROUPS, wordsOf } from '../../admin/tools/features/labels.ts'
import {
  checkedIn,
  type Draft,
  draftOf,
  fieldsOf,
  formOf,
  hasSwitch,
  inputOf,
  isUnready,
  resendable,
} from './fields.ts'

const Budget = z.strictObject({
  enabled: z.boolean().default(true),
  mode: z.enum(['cut', 'sum']),
  most: z.number().int().min(256).max(1_000),
  strategy: z
    .enum(['in-turn', 'in_turn'])
    .transform(() => 'in-turn' as const)
    .optional(),
  steps: z.array(z.strictObject({ path: z.string() })).optional(),
  model: z
    .strictObject({ url: z.url(), key: z.string().nullable().optional(), keySet: z.boolean().optional() })
    .optional(),
})
const summed = (draft: Draft): boolean => draft.mode === 'sum'
const fields = fieldsOf(Budget, {
  mode: { label: 'Mode', options: { cut: 'Cut', sum: 'Sum' } },
  'model.url': { label: 'Address', when: summed },
  'model.key': { label: 'Key', secret: true, stored: 'model.keySet', when: summed },
  'model.keySet': { label: 'A key is stored', when: () => false },
})
const made = (draft: Draft) => inputOf(fields, { ...draftOf(fields, null), ...draft })

describe('the draft of a form', () => {
  it('has its fields from the schema, in the order of the words, without its switch', () => {
    expect(fields.map(({ path, kind, required }) => [path, kind, required])).toEqual([
      ['mode', 'choice', true],
      ['model.url', 'text', true],
      ['model.key', 'text', false],
      ['model.keySet', 'flag', false],
      ['most', 'number', true],
      ['strategy', 'choice', false],
      ['steps', 'json', false],
    ])
    expect([hasSwitch(Budget), hasSwitch(z.strictObject({ forward: z.boolean() }))]).toEqual([true, false])
  })

  it('sends nothing of what is not asked for, and nothing for what is empty', () => {
    expect(made({ most: '500', 'model.url': 'https://models.example' })).toEqual({
      input: { mode: 'cut', most: 500 },
      problems: {},
    })
    expect(made({ mode: 'sum', most: '500', 'model.url': 'https://models.example' }).input).toEqual({
      mode: 'sum',
      most: 500,
      model: { url: 'https://models.example' },
    })
  })

  it('keeps a stored secret where nothing is typed, replaces it by what is, and removes it where that is asked for', () => {
    const keyOf = (key: string | boolean) => {
      const stored = { mode: 'sum', most: 500, model: { url: 'https://models.example', keySet: true } }
      return inputOf(fields, { ...draftOf(fields, stored), 'model.key': key }).input.model
    }
    const url = 'https://models.example'
    expect([keyOf(''), keyOf('another'), keyOf(false)]).toEqual([{ url }, { url, key: 'another' }, { url, key: null }])
  })

  it.each([
    [{ most: '' }, 'most', 'is required'],
    [{ most: 'many' }, 'most', 'must be a whole number'],
    [{ most: '5' }, 'most', /256/],
    [{ most: '500', steps: '[{' }, 'steps', 'This is not JSON yet'],
    [{ most: '500', steps: '[{"path": 7}]' }, 'steps', /^0\.path: /],
    [{ most: '500', mode: 'sum', 'model.url': 'nowhere' }, 'model.url', /URL/],
  ] as const)('says of %j at %s what is wrong', (draft, path, message) => {
    const { problems, input } = checkedIn(
      { schema: Budget, fields, carried: [] },
      { ...draftOf(fields, null), ...draft },
    )
    expect(problems).toEqual({ [path]: expect.stringMatching(message) })
    expect(input).toBeUndefined()
  })

  it('holds lists as text, flags with three choices, and numbers in larger units', () => {
    const form = formOf(
      z.strictObject({
        patterns: z.array(z.string().max(5)).optional(),
        people: z.array(z.string()).optional(),
        gate: z.boolean().nullable().optional(),
        waitMs: z.number().int().max(600_000).optional(),
      }),
      {
        patterns: { label: 'Patterns', list: 'lines' },
        people: { label: 'People', list: 'words' },
        gate: { label: 'Gate', options: { '': 'As set', true: 'Yes', false: 'No' } },
        waitMs: { label: 'Minutes', unit: 60_000 },
      },
    )
    const record = { patterns: ['a b', 'c'], people: ['Ann', 'bob'], gate: false, waitMs: 90_000 }
    const draft = draftOf(form.fields, record)
    expect(draft).toEqual({ patterns: 'a b\nc', people: 'Ann, bob', gate: 'false', waitMs: '1.5' })
    expect(checkedIn(form, draft)).toMatchObject({ input: record, problems: {} })
    expect(checkedIn(form, { ...draft, gate: '', people: '' }).input).toEqual({
      ...record,
      gate: null,
      people: undefined,
    })
    expect(checkedIn(form, { ...draft, patterns: 'ok\ntoo long', waitMs: ' ' }).problems).toEqual({
      patterns: expect.stringMatching(/^line 2: /),
    })
  })

  it('sets again what was set, without what is only read', () => {
    const config = { enabled: false, mode: 'sum', most: 300, model: { url: 'https://models.example', keySet: true } }
    expect(resendable(fields, config)).toEqual({
      enabled: false,
      mode: 'sum',
      most: 300,
      model: { url: 'https://models.example' },
    })
    expect(resendable(fields, { mode: 'cut', most: 300, steps: [{ path: 'a' }] })).toEqual({
      mode: 'cut',
      most: 300,
      steps: [{ path: 'a' }],
    })
  })

  it.each(FEATURE_NAMES)('has words for every field of %s', (name) => {
    const words = wordsOf(name)
    expect(GROUPS).toContain(words.group)
    expect(words.about).not.toBe('')
    const own = fieldsOf(FEATURES[name], words.fields)
    expect(own.filter(({ path, label }) => path === label)).toEqual([])
    expect(own.filter(({ kind, json }) => kind === 'json' && !json)).toEqual([])
    expect(Object.keys(words.fields).filter((path) => !own.some((field) => field.path === path))).toEqual([])
  })
})

const Rule = z.strictObject({
  name: z.string().trim().min(1).max(128),
  event: z.enum(['errors', 'spikes']),
  most: z.number().int().min(1).nullable().default(null),
  enabled: z.boolean().default(true),
})
const form = formOf(Rule, {
  name: { label: 'Name' },
  event: { label: 'Event', options: { errors: 'Errors', spikes: 'Spikes' }, createOnly: true },
  most: {
    label: 'Most',
    when: (draft) => draft.event === 'errors',
    check: ({ most }) => (most === '13' ? 'unlucky' : undefined),
  },
})

describe('the form of a record', () => {
  it('has the fields of its table, and carries the others over from the record', () => {
    expect(form.fields.map(({ path, required, maxLength }) => [path, required, maxLength])).toEqual([
      ['name', true, 128],
      ['event', true, undefined],
      ['most', false, undefined],
    ])
    const stored = { name: 'a', event: 'errors', most: 5, enabled: false, id: 7 }
    expect(checkedIn(form, draftOf(form.fields, stored), stored).input).toEqual({
      name: 'a',
      event: 'errors',
      most: 5,
      enabled: false,
    })
  })

  it('starts a new record with the given values, and sends null for an empty field', () => {
    const draft = draftOf(form.fields, undefined, { event: 'spikes', most: 3 })
    expect(draft).toEqual({ name: '', event: 'spikes', most: '3' })
    expect(checkedIn(form, { ...draft, name: ' a ', event: 'errors', most: '' }).input).toEqual({
      name: 'a',
      event: 'errors',
      most: null,
      enabled: true,
    })
    expect(checkedIn(form, { ...draft, name: 'a' }).input).toMatchObject({ event: 'spikes', most: null })
  })

  it('is not ready while a required field is empty, or a field that is asked for says that it is wrong', () => {
    const unready = (draft: Draft) => isUnready(form.fields, { ...draftOf(form.fields, undefined), ...draft })
    expect([unready({}), unready({ name: ' ' }), unready({ name: 'a' })]).toEqual([true, true, false])
    expect(unready({ name: 'a', most: '13' })).toBe(true)
    expect(unready({ name: 'a', event: 'spikes', most: '13' })).toBe(false)
  })
})

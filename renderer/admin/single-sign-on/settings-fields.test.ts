// The form of single sign-on: typed values become contract input.
import { describe, expect, it } from 'vitest'
import type { OidcSettings } from '#contract'
import { checkedIn, type Draft, draftOf, isUnready } from '../../ui/form/fields.ts'
import { PARTS, settingsForm, twiceIn } from './settings-fields.tsx'

const SETTINGS: OidcSettings = {
  enabled: true,
  issuer: 'https://id.example',
  clientId: 'gantry',
  clientSecretSet: true,
  redirectUri: 'https://gantry.example/admin-api/auth/oidc/callback',
  scopes: 'openid profile',
  usernameClaim: 'email',
  roleClaim: 'groups',
  roleMap: { admins: 'admin', crew: 'operator' },
  defaultRole: 'viewer',
  allowedDomains: ['example.com', 'example.org'],
  autoProvision: false,
  source: 'database',
  revision: 3,
}
const form = settingsForm(true)
const sent = (change: Draft = {}) => checkedIn(form, { ...draftOf(form.fields, SETTINGS), ...change }, SETTINGS)

describe('the form of single sign-on', () => {
  it('sends the values with their revision, and a secret only if typed', () => {
    const { clientSecretSet, source, ...kept } = SETTINGS
    expect(sent().input).toEqual(kept)
    expect(sent({ clientSecret: 's' }).input).toEqual({ ...kept, clientSecret: 's' })
    expect([clientSecretSet, source]).toEqual([true, 'database'])
  })

  it('reads domains by line, comma or space, and drops lines without a group', () => {
    const { input, problems } = sent({
      allowedDomains: ' a.example, b.example\n\nc.example ',
      roleMap: [{ group: '', role: 'admin' }],
      roleClaim: ' ',
      redirectUri: ' ',
    })
    expect(problems).toEqual({})
    expect(input).toMatchObject({
      allowedDomains: ['a.example', 'b.example', 'c.example'],
      roleMap: {},
      roleClaim: null,
    })
    expect(input).not.toHaveProperty('redirectUri')
  })

  it('clears cleared fields', () => {
    expect(sent({ allowedDomains: '', roleMap: [] }).input).toMatchObject({ allowedDomains: [], roleMap: {} })
  })

  it('reports a duplicate group', () => {
    const line = (group: string) => ({ group, role: 'viewer' as const })
    expect(twiceIn(['a', 'b', 'a', 'a', '', ''].map(line))).toEqual(['a'])
    expect(isUnready(form.fields, { ...draftOf(form.fields, SETTINGS), roleMap: ['a', 'a'].map(line) })).toBe(true)
  })

  it('has each field in exactly one part', () => {
    expect(PARTS.flatMap(({ paths }) => paths).toSorted()).toEqual(form.fields.map(({ path }) => path).toSorted())
  })
})

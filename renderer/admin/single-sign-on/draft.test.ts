// The form of single sign-on: what is typed becomes what the contract takes.
import { describe, expect, it } from 'vitest'
import { type OidcSettings, OidcSettingsInput } from '#contract'
import { draftOf, inputOf, twiceIn } from './draft.ts'

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

describe('the form of single sign-on', () => {
  it('sends what it was given, and a secret only when one was typed', () => {
    const { clientSecretSet, source, revision, ...kept } = SETTINGS
    expect(inputOf(draftOf(SETTINGS))).toEqual(kept)
    expect(inputOf({ ...draftOf(SETTINGS), clientSecret: 's' })).toEqual({ ...kept, clientSecret: 's' })
    expect([clientSecretSet, source, revision]).toEqual([true, 'database', 3])
  })

  it('reads domains by line, comma or space, and drops lines without a group', () => {
    const sent = inputOf({
      ...draftOf(SETTINGS),
      domains: ' a.example, b.example\n\nc.example ',
      roles: [{ group: '', role: 'admin' }],
      roleClaim: ' ',
    })
    expect(sent).toMatchObject({
      allowedDomains: ['a.example', 'b.example', 'c.example'],
      roleMap: {},
      roleClaim: null,
    })
    expect(OidcSettingsInput.safeParse(sent).success).toBe(true)
  })

  it('tells which group stands twice', () => {
    const line = (group: string) => ({ group, role: 'viewer' as const })
    expect(twiceIn(['a', 'b', 'a', 'a', '', ''].map(line))).toEqual(['a'])
  })
})

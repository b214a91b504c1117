// Views derived from the table: help, reference, effective view, posture.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { EffectiveEntry } from '../contract/admin/config.ts'
import { PostureFinding } from '../contract/admin/overview.ts'
import { settingsReference } from './docs.ts'
import { effectiveEntries } from './effective.ts'
import { helpText } from './help.ts'
import { loadSettings } from './load.ts'
import { type PostureInputs, postureFindings, worstSeverity } from './posture.ts'
import { rowOf, SETTING_NAMES } from './table.ts'

const load = (env: Record<string, string>) => loadSettings({ env: { HOME: '/h', ...env }, readFile: () => '' })

describe('effective configuration', () => {
  const SECRETS = {
    ADMIN_API_KEYS: 'hunter2-hunter2-hunter2',
    DATABASE_URL: 'postgres://user:hunter2@db.example/gantry',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=hunter2',
    WEBHOOK_SIGNING_SECRET: 'hunter2-hunter2-hunter2',
    KMS_TOKEN: 'hunter2',
    GANTRY_SECRET_X: 'hunter2',
  }

  it('shows only whether a secret is set [ct.7.8.effective-secrets ct.16.kms-token-hidden]', () => {
    const entries = effectiveEntries(load(SECRETS))
    expect(JSON.stringify(entries)).not.toContain('hunter2')
    for (const key of Object.keys(SECRETS)) {
      const entry = entries.find((one) => one.key === key)
      expect(entry).toMatchObject({ key, value: 'set', redacted: true, source: 'env', default: 'unset' })
    }
    for (const key of SETTING_NAMES.filter((name) => rowOf(name).secret && !(name in SECRETS)))
      expect(entries.find((one) => one.key === key)).toMatchObject({
        value: 'unset',
        redacted: true,
        source: 'default',
      })
  })

  it('lists every setting by key [ct.7.8.effective]', () => {
    const entries = effectiveEntries(load({ PORT: '81', TRUST_PROXY: 'loopback' }))
    const keys = entries.map(({ key }) => key)
    expect(keys).toEqual([...SETTING_NAMES].sort())
    for (const entry of entries) expect(EffectiveEntry.parse(entry)).toEqual(entry)
    expect(entries).toContainEqual(
      expect.objectContaining({ key: 'PORT', value: 81, redacted: false, source: 'env', default: 8790 }),
    )
    expect(entries.find(({ key }) => key === 'DB_PATH')).toMatchObject({
      value: '/h/.local/share/gantry/gantry.db',
      default: '/h/.local/share/gantry/gantry.db',
    })
    expect(entries.find(({ key }) => key === 'TRUST_PROXY')).toMatchObject({ value: ['127.0.0.0/8', '::1/128'] })
  })
})

describe('help and reference', () => {
  it('names every setting with its range, default and meaning', () => {
    const help = helpText(60)
    const reference = settingsReference()
    for (const name of SETTING_NAMES) {
      expect(help).toContain(`  ${name}`)
      expect(help).toContain(rowOf(name).range)
      expect(reference).toContain(`\`${name}\``)
      if (rowOf(name).secret) expect(help).toContain(`${name}_FILE`)
    }
    expect(help.replace(/\s+/g, ' ')).toContain(rowOf('TRUST_PROXY').meaning)
  })

  it('is the text of docs/settings.md; regenerate with: node gateway/settings/docs.ts', () => {
    const path = new URL('../../docs/settings.md', import.meta.url)
    expect(readFileSync(path, 'utf8')).toBe(settingsReference())
  })
})

describe('security posture', () => {
  const NOW = Date.UTC(2026, 0, 31)
  const SOUND: PostureInputs = { dataPlaneOpen: false, secretBoxConfigured: true, lastBackupAt: NOW, now: NOW }
  const sink = { AUDIT_SINK_URL: 'https://sink.example/' }
  const findings = (env: Record<string, string>, facts: Partial<PostureInputs> = {}) =>
    postureFindings(load({ ...sink, ...env }).settings, { ...SOUND, ...facts })

  it.each<[PostureFinding['id'], PostureFinding['severity'], Record<string, string>, Partial<PostureInputs>]>([
    ['auth_disabled', 'critical', { AUTH_DISABLED: 'true' }, {}],
    ['mcp_data_plane_open', 'warning', {}, { dataPlaneOpen: true }],
    ['mcp_data_plane_open', 'critical', { HOST: '10.0.0.1' }, { dataPlaneOpen: true }],
    ['cors_wildcard', 'critical', { CORS_ORIGINS: '*' }, {}],
    ['cors_wildcard', 'critical', { ALLOWED_ORIGINS: '*' }, {}],
    ['session_cookie_insecure', 'warning', { SESSION_COOKIE_SECURE: 'false' }, {}],
    ['jwt_no_audience', 'critical', { JWT_JWKS_URL: 'https://id.example/keys' }, {}],
    ['trust_proxy_too_wide', 'critical', { TRUST_PROXY: '0.0.0.0/0' }, {}],
    ['allow_private_ips', 'warning', { ALLOW_PRIVATE_IPS: 'true' }, {}],
    ['docs_public', 'info', { EXPOSE_DOCS_UNAUTHENTICATED: 'true' }, {}],
    ['secret_box_unset', 'warning', {}, { secretBoxConfigured: false }],
    ['audit_sink_unset', 'info', { AUDIT_SINK_URL: '' }, {}],
    ['no_backup_recent', 'info', {}, { lastBackupAt: null }],
    ['no_backup_recent', 'info', {}, { lastBackupAt: NOW - 8 * 86_400_000 }],
    ['bound_to_all_interfaces', 'info', { HOST: '0.0.0.0' }, {}],
    ['bound_to_all_interfaces', 'info', { HOST: '::' }, {}],
  ])('finds %s as %s [ct.7.7.posture-ids ct.10.14.finding]', (id, severity, env, facts) => {
    const found = findings(env, facts)
    expect(found).toMatchObject([{ id, severity, tolerated: null }])
    expect(PostureFinding.parse(found[0])).toEqual(found[0])
    expect(worstSeverity(found)).toBe(severity)
  })

  it('names the flag that permits a finding', () => {
    const hatch = findings({ AUTH_DISABLED: 'true', ALLOW_UNSAFE_AUTH_DISABLED: 'true' })
    expect(hatch).toMatchObject([{ tolerated: 'escape_hatch' }])
    const development = findings({ AUTH_DISABLED: 'true', NODE_ENV: 'development' })
    expect(development).toMatchObject([{ tolerated: 'development' }])
  })

  it('lists the worst first, and nothing for a secure configuration', () => {
    expect(findings({})).toEqual([])
    expect(worstSeverity([])).toBeNull()
    const mixed = findings({ HOST: '0.0.0.0', ALLOW_PRIVATE_IPS: 'true', AUTH_DISABLED: 'true' })
    expect(mixed.map(({ severity }) => severity)).toEqual(['critical', 'warning', 'info'])
  })

  it('requires no backup for a store that cannot have one', () => {
    expect(findings({ DB_PATH: ':memory:' }, { lastBackupAt: null })).toEqual([])
    expect(findings({ DATABASE_URL: 'postgres://db.example/gantry' }, { lastBackupAt: null })).toEqual([])
  })
})

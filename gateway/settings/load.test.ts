// Sources of settings, their precedence, and reported mistakes.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { loadSettings } from './load.ts'
import { describeProblems, fatal } from './problem.ts'

const directory = mkdtempSync(join(tmpdir(), 'gantry-settings-'))
afterAll(() => rmSync(directory, { recursive: true }))

function file(name: string, text: string): string {
  const path = join(directory, name)
  writeFileSync(path, text)
  return path
}

const load = (env: Record<string, string | undefined>, flags?: Record<string, string>) =>
  loadSettings({ env, readFile: (path) => readFileSync(path, 'utf8'), ...(flags && { flags }) })

describe('refusals', () => {
  it('rejects a settings file that is missing, nested, or invalid YAML', () => {
    const nested = file('nested.yaml', 'PORT:\n  inner:\n    deep: 1\n')
    const broken = file('broken.yaml', 'ADMIN_API_KEYS: "hunter2-hunter2-hunter2\nPORT: 1\n')
    const list = file('list.json', '["PORT"]')
    for (const path of [join(directory, 'absent.yaml'), nested, broken, list, directory]) {
      const { problems } = load({ GANTRY_CONFIG_FILE: path })
      expect(fatal(problems)).toBe(true)
      expect(describeProblems(problems)).toContain('GANTRY_CONFIG_FILE')
      expect(describeProblems(problems)).not.toContain('hunter2')
    }
  })

  it('rejects an unreadable or empty secret file', () => {
    for (const path of [join(directory, 'absent'), file('empty', '\n')]) {
      const { problems, settings } = load({ MCP_API_KEYS_FILE: path })
      expect(fatal(problems)).toBe(true)
      expect(describeProblems(problems)).toContain('MCP_API_KEYS_FILE')
      expect(settings.MCP_API_KEYS).toEqual([])
    }
  })

  it.each(['KMS', 'vault', ''])(
    'refuses the secrets provider %j, in development too [gw.auth-var.secrets_provider ct.16.startup]',
    (value) => {
      for (const NODE_ENV of [undefined, 'development'])
        expect(fatal(load({ SECRETS_PROVIDER: value, NODE_ENV }).problems)).toBe(true)
    },
  )

  it('rejects an unusable database URL instead of opening an empty database', () => {
    const { problems } = load({ DATABASE_URL: 'mysql://user:hunter2@host/db' })
    expect(fatal(problems)).toBe(true)
    expect(describeProblems(problems)).not.toContain('hunter2')
  })

  it('keeps the MCP endpoints closed, with a report, if the key set or the flag is invalid', () => {
    const { settings, problems } = load({ JWT_JWKS_URL: 'htp:/typo' })
    expect(settings.REQUIRE_MCP_AUTH).toBe(true)
    expect(describeProblems(problems)).toContain('REQUIRE_MCP_AUTH is true')
    expect(load({ REQUIRE_MCP_AUTH: 'yes' }).settings.REQUIRE_MCP_AUTH).toBe(true)
  })

  it('masks secrets, and the credentials inside a URL, in every message', () => {
    const { problems } = load({
      WEBHOOK_SIGNING_SECRET: 'tooshort',
      ADMIN_API_KEYS: 'weakkey',
      KMS_ADDR: 'https://user:hunter2@kms.example',
      AUDIT_SINK_URL: 'ftp://sink.example/t0ken',
    })
    const text = describeProblems(problems)
    expect(problems).toHaveLength(4)
    for (const secret of ['tooshort', 'weakkey', 'hunter2', 't0ken']) expect(text).not.toContain(secret)
  })

  it('keeps a message on one line for any value', () => {
    const text = describeProblems(load({ PORT: `1\n${'x'.repeat(500)}` }).problems)
    expect(text.split('\n')).toHaveLength(1)
    expect(text.length).toBeLessThan(400)
  })
})

describe('warnings', () => {
  it.each([
    ['ADMIN_API_KEYS', 'short'],
    ['MCP_API_KEYS', 'sixteen-or-more-characters,short'],
    ['SECRET_ENCRYPTION_KEY', 'abcd'],
  ])('warns about a weak %s, uses it, and aborts when strict [ct.17.short-keys]', (name, value) => {
    const { problems, sources } = load({ [name]: value })
    expect(problems).toMatchObject([{ variable: name, severity: 'warning', value: '***' }])
    expect(sources).toMatchObject({ [name]: 'env' })
    expect(fatal(load({ [name]: value, STRICT_CONFIG: 'production' }).problems)).toBe(true)
  })

  it.each([
    ['ADMIN_API_KEY', 'ADMIN_API_KEYS'],
    ['MCP_API_KEYS_FLIE', 'MCP_API_KEYS'],
    ['CIRCUIT_BREAKER_WINDOW', 'CIRCUIT_BREAKER_WINDOW_MS'],
    ['RATE_LIMIT_LOIGN', 'RATE_LIMIT_LOGIN'],
    ['JWT_ISSUER_FILE', 'JWT_ISSUER'],
  ])('asks of the unknown %s whether %s was meant, and never shows its value [ct.17.unknown]', (name, meant) => {
    const { problems } = load({ [name]: 'hunter2' })
    expect(problems).toMatchObject([{ variable: name, severity: 'warning', value: null }])
    expect(problems[0]?.remedy).toContain(meant)
  })

  it('ignores variables of other programs', () => {
    const env = { PATH: '/bin', SESSION_MANAGER: 'x', NODE_OPTIONS: '', OTEL_TRACES_EXPORTER: 'otlp', HOSTNAME: 'box' }
    expect(load(env).problems).toEqual([])
  })

  it('warns about any unknown name in the settings file', () => {
    const path = file('unknown.yaml', 'PROT: 80\nsomething: else\n')
    const { problems } = load({ GANTRY_CONFIG_FILE: path })
    expect(problems.map(({ variable }) => variable)).toEqual(['PROT', 'something'])
    expect(problems[0]?.remedy).toContain('PORT')
  })

  it('reports that a secret file is ignored when the secret is set', () => {
    const { settings, problems } = load({ KMS_TOKEN: 'direct', KMS_TOKEN_FILE: file('kms', 'from file') })
    expect(settings.KMS_TOKEN).toBe('direct')
    expect(problems).toMatchObject([{ variable: 'KMS_TOKEN_FILE', severity: 'warning' }])
  })
})

describe('order', () => {
  it('prefers flags to the environment, the environment to the file, the file to the default [ct.17.order ct.17.effect.gantry_config_file]', () => {
    const path = file('order.yaml', 'PORT: 1001\nMAX_SESSIONS: 7\nLOG_LEVEL: debug\nHOST: 10.0.0.1\n')
    const { settings, sources } = load({ GANTRY_CONFIG_FILE: path, PORT: '1002', MAX_SESSIONS: '8' }, { PORT: '1003' })
    expect(settings).toMatchObject({ PORT: 1003, MAX_SESSIONS: 8, LOG_LEVEL: 'debug', MAX_JSON_DEPTH: 32 })
    expect(sources).toMatchObject({ PORT: 'env', MAX_SESSIONS: 'env', LOG_LEVEL: 'file', MAX_JSON_DEPTH: 'default' })
    expect(Object.isFrozen(settings)).toBe(true)
  })

  it('treats an empty value as unset', () => {
    const path = file('empty.yaml', 'PORT: 1001\nMAX_SESSIONS: ~\nLOG_LEVEL:\n')
    const { settings, problems } = load({ GANTRY_CONFIG_FILE: path, PORT: '', MCP_API_KEYS: '' })
    expect(settings).toMatchObject({ PORT: 1001, MAX_SESSIONS: 100, LOG_LEVEL: 'info', MCP_API_KEYS: [] })
    expect(problems).toEqual([])
  })

  it('reads a JSON file with native values, and keeps a key of digits unchanged [ct.17.file-formats]', () => {
    const path = file(
      'settings.json',
      JSON.stringify({
        UI_ENABLED: false,
        PORT: 9,
        CORS_ORIGINS: ['https://a.example', 'https://b.example'],
        HOST: null,
      }),
    )
    const { settings, problems } = load({ GANTRY_CONFIG_FILE: path })
    expect(problems).toEqual([])
    expect(settings).toMatchObject({ UI_ENABLED: false, PORT: 9, HOST: '127.0.0.1' })
    expect(settings.CORS_ORIGINS).toEqual(['https://a.example', 'https://b.example'])
    const digits = file('digits.yaml', 'ADMIN_API_KEYS: 0000000000001234\nOIDC_ROLE_MAP: { staff: operator }\n')
    const loaded = load({ GANTRY_CONFIG_FILE: digits }).settings
    expect(loaded.ADMIN_API_KEYS).toEqual(['0000000000001234'])
    expect(loaded.OIDC_ROLE_MAP).toEqual({ staff: 'operator' })
  })

  it('reads secrets from files, without the trailing newline [ct.17.name-file]', () => {
    const key = file('key', 'a-long-enough-admin-key\n')
    const path = file('files.yaml', `ADMIN_API_KEYS_FILE: ${key}\n`)
    const { settings, sources } = load({ MCP_API_KEYS_FILE: key, GANTRY_CONFIG_FILE: path })
    expect(settings.MCP_API_KEYS).toEqual(['a-long-enough-admin-key'])
    expect(settings.ADMIN_API_KEYS).toEqual(['a-long-enough-admin-key'])
    expect(sources).toMatchObject({ MCP_API_KEYS: 'env', ADMIN_API_KEYS: 'file' })
  })

  it('collects GANTRY_SECRET_* from every source without reporting them as unknown', () => {
    const path = file('secrets.yaml', 'GANTRY_SECRET_B: two\nGANTRY_SECRET_A: other\n')
    const env = { GANTRY_SECRET_A: 'one', GANTRY_SECRET_C_FILE: file('c', 'three\n'), GANTRY_CONFIG_FILE: path }
    const { envSecrets, problems } = load(env)
    expect(problems).toEqual([])
    expect([...envSecrets].map(([name, { text }]) => [name, text])).toEqual([
      ['GANTRY_SECRET_A', 'one'],
      ['GANTRY_SECRET_C', 'three'],
      ['GANTRY_SECRET_B', 'two'],
    ])
  })
})

describe('values', () => {
  it('drops empty and repeated entries of a list (security case AN-06) [ct.17.lists]', () => {
    expect(load({ MCP_API_KEYS: ' a, ,b,,a' }).settings.MCP_API_KEYS).toEqual(['a', 'b'])
  })

  it('keeps a URL verbatim, and lower-cases origins and hosts', () => {
    const { settings } = load({
      GATEWAY_PUBLIC_URL: 'https://Host.example/prefix',
      CORS_ORIGINS: 'https://App.example/,app://desk',
      ALLOWED_HOSTS: 'Gate.example:8443,[::1]:80',
    })
    expect(settings.GATEWAY_PUBLIC_URL).toBe('https://Host.example/prefix')
    expect(settings.CORS_ORIGINS).toEqual(['https://app.example', 'app://desk'])
    expect(settings.ALLOWED_HOSTS).toEqual(['gate.example:8443', '[::1]:80'])
  })

  it('reads pairs and ports', () => {
    const { settings } = load({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic YWI=, x-team = a',
      PCG_DISCOVER_PORTS: '30010,8000-8002',
    })
    expect(settings.OTEL_EXPORTER_OTLP_HEADERS).toEqual({ authorization: 'Basic YWI=', 'x-team': 'a' })
    expect(settings.PCG_DISCOVER_PORTS).toEqual([30010, 8000, 8001, 8002])
  })

  it.each([
    [{ XDG_DATA_HOME: '/x', HOME: '/h' }, '/x/gantry/gantry.db', '/x/gantry'],
    [{ APPDATA: '/roaming', HOME: '/h' }, '/roaming/gantry/gantry.db', '/roaming/gantry'],
    [{ HOME: '/h' }, '/h/.local/share/gantry/gantry.db', '/h/.local/share/gantry'],
    [{}, 'gantry-data/gantry.db', 'gantry-data'],
    [{ HOME: '/h', DATA_DIR: '/d' }, '/d/gantry.db', '/d'],
    [{ HOME: '/h', DB_PATH: '/db/one.db' }, '/db/one.db', '/db'],
    [{ HOME: '/h', DB_PATH: '/db/one.db', DATA_DIR: '/d' }, '/db/one.db', '/d'],
    [{ HOME: '/h', DB_PATH: ':memory:' }, ':memory:', null],
  ])('places data for %j [ct.17.effect.data_dir]', (env, DB_PATH, DATA_DIR) => {
    expect(load(env).settings).toMatchObject({ DB_PATH, DATA_DIR })
  })
})

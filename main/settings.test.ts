// The desktop's settings: the user's word counts, except where it would open the data plane.
import path from 'node:path'
import { describe, expect, it } from 'vitest'
import { desktopEnv } from './settings.ts'

describe('the environment of the desktop', () => {
  it.each([
    ['REQUIRE_MCP_AUTH', 'false', 'true'],
    ['AUTH_DISABLED', 'true', 'false'],
  ])('does not let %s be relaxed', (name, given, used) => {
    expect(desktopEnv({ [name]: given }, '/data', 'key')[name]).toBe(used)
  })

  it('keeps to loopback and to its own folder by default', () => {
    expect(desktopEnv({}, '/data', undefined)).toMatchObject({
      HOST: '127.0.0.1',
      PORT: '8790',
      DATA_DIR: path.join('/data', 'data'),
      DB_PATH: path.join('/data', 'data', 'gantry.db'),
    })
  })

  it('leaves agents room to author a graph call by call, and lets the user choose less', () => {
    expect(desktopEnv({}, '/data', undefined)['RATE_LIMIT_MCP']).toBe('6000')
    expect(desktopEnv({ RATE_LIMIT_MCP: '50' }, '/data', undefined)['RATE_LIMIT_MCP']).toBe('50')
  })

  it('lets the user choose the port and the passphrase [ct.17.desktop]', () => {
    const env = desktopEnv({ PORT: '9000', SECRET_ENCRYPTION_KEY: 'a passphrase' }, '/data', 'sealed key')
    expect(env).toMatchObject({ PORT: '9000', SECRET_ENCRYPTION_KEY: 'a passphrase' })
  })

  it('has the sealed key when there is one, and no word of it otherwise [ct.16.desktop-key]', () => {
    expect(desktopEnv({}, '/data', 'sealed key').SECRET_ENCRYPTION_KEY).toBe('sealed key')
    expect(desktopEnv({}, '/data', undefined)).not.toHaveProperty('SECRET_ENCRYPTION_KEY')
  })
})

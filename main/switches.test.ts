// The packaged application does not start with a door held open.
import { expect, it } from 'vitest'
import { dangerousSwitch } from './switches.ts'

it.each(['inspect', 'remote-debugging-port', 'proxy-server', 'host-rules', 'no-sandbox', 'disable-web-security'])(
  'refuses --%s',
  (name) => {
    expect(dangerousSwitch((asked) => asked === name)).toBe(name)
  },
)

it('lets harmless ones pass', () => {
  expect(
    dangerousSwitch((name) => ['user-data-dir', 'lang', 'force-device-scale-factor'].includes(name)),
  ).toBeUndefined()
})

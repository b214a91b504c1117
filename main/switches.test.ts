// The packaged application does not start with a door held open.
import { expect, it } from 'vitest'
import { dangerousSwitch } from './switches.ts'

it.each(['inspect', 'remote-debugging-port', 'proxy-server', 'host-rules', 'no-sandbox', 'disable-web-security'])(
  'refuses --%s (security case EL-20)',
  (name) => {
    expect(dangerousSwitch((asked) => asked === name)).toBe(name)
  },
)

// Another profile is another application, with keys of its own: it opens nothing of this one.
it('lets harmless ones pass, --user-data-dir among them (security case EL-20)', () => {
  expect(
    dangerousSwitch((name) => ['user-data-dir', 'lang', 'force-device-scale-factor'].includes(name)),
  ).toBeUndefined()
})

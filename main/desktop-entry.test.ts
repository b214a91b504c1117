// Entries for the desktops of Linux: arguments are quoted so that no launcher interprets them.
import { expect, it } from 'vitest'
import { desktopEntry } from './desktop-entry.ts'

it.each([
  ['/opt/Gantry/gantry', '"/opt/Gantry/gantry"'],
  ['/home/a b/gantry', '"/home/a b/gantry"'],
  ['/tmp/$(id)/`id`/"x"', '"/tmp/\\\\$(id)/\\\\`id\\\\`/\\\\"x\\\\""'],
  ['/tmp/100%u', '"/tmp/100%%u"'],
])('quotes %s', (program, quoted) => {
  expect(desktopEntry([program, '/app'], '%u')).toContain(`\nExec=${quoted} "/app" %u\n`)
})

// Anyone can make a gantry:// link: what is not exactly one of ours is nothing.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DeepLink } from '#channels'
import { createLinks, linkAmong, parseDeepLink } from './deep-link.ts'

const UPSTREAM = 'gantry://add-backend?source=mcp&url=https://mcp.example.com/mcp'

describe('a link is refused (security case EL-10)', () => {
  it.each([
    ['of another scheme', UPSTREAM.replace('gantry:', 'https:')],
    ['of an unknown action', 'gantry://register?source=mcp&url=https://mcp.example.com/mcp'],
    ['of an action named like a property of every object', 'gantry://constructor?page=/'],
    ['with a path', 'gantry://open/connect?page=/connect'],
    ['with a port', 'gantry://open:80?page=/connect'],
    ['with a user name', 'gantry://me@open?page=/connect'],
    ['with a fragment', 'gantry://open?page=/connect#x'],
    ['without its address', 'gantry://add-backend?source=mcp'],
    ['with an unknown source', 'gantry://add-backend?source=shell&url=https://x.example/'],
    ['that adds a local server', 'gantry://add-server?name=a&command=/usr/bin/touch'],
    ['with a command in it', `${UPSTREAM}&command=/usr/bin/touch&args=x`],
    ['to an address that is a program', 'gantry://add-backend?source=stdio&url=file:///usr/bin/touch'],
    ['with a key in it', `${UPSTREAM}&token=secret`],
    ['with a header in it', `${UPSTREAM}&headers=Authorization`],
    ['that says a thing twice', `${UPSTREAM}&source=openapi`],
    ['to plain http', 'gantry://add-backend?source=mcp&url=http://mcp.example.com/mcp'],
    ['to a file', 'gantry://add-backend?source=openapi&url=file:///etc/passwd'],
    ['to script', 'gantry://add-backend?source=openapi&url=javascript:alert(1)'],
    ['to an address with a password', 'gantry://add-backend?source=mcp&url=https://a:b@mcp.example.com/'],
    ['with an invalid name', `${UPSTREAM}&name=..%2f..`],
    ['to a page outside', 'gantry://open?page=https://example.com/'],
    ['to a page with parameters', 'gantry://open?page=/keys?new=1'],
    ['to a page by two slashes', 'gantry://open?page=//example.com'],
    ['with what is no UTF-8', `${UPSTREAM}&name=%ff%fe`],
    ['with a NUL', `${UPSTREAM}&name=a%00`],
    ['with a line break', `${UPSTREAM}\n`],
    ['with letters that were not escaped', `${UPSTREAM}&name=grün`],
    ['of a megabyte', `${UPSTREAM}&name=${'a'.repeat(2 ** 20)}`],
    ['that is empty', ''],
  ])('%s', (_what, link) => {
    expect(parseDeepLink(link)).toBeUndefined()
  })

  it('or satisfies the contract, for any text', () => {
    const pieces = fc.constantFrom(
      'gantry://',
      'add-backend',
      'open',
      '?',
      '&',
      'url=',
      'page=',
      'https://x.example/',
      '/keys',
      '%00',
      '..',
      '#',
      '@',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(pieces).map((parts) => parts.join('')),
        ),
        (text) => {
          const link = parseDeepLink(text)
          if (link !== undefined) expect(DeepLink.parse(link)).toEqual(link)
        },
      ),
    )
  })
})

it('says what it asks for', () => {
  expect(parseDeepLink(`${UPSTREAM}&name=tools`)).toEqual({
    kind: 'add-backend',
    source: 'mcp',
    url: 'https://mcp.example.com/mcp',
    name: 'tools',
  })
  expect(
    parseDeepLink('gantry://add-backend?source=openapi&url=https%3A%2F%2FAPI.example.com%2Fa.json%3Fx%3D1'),
  ).toEqual({
    kind: 'add-backend',
    source: 'openapi',
    url: 'https://api.example.com/a.json?x=1',
    name: null,
  })
  expect(parseDeepLink('gantry://open?page=/connect')).toEqual({ kind: 'open-page', page: '/connect' })
})

it('is found among the arguments of a start when there is one and no more', () => {
  expect(linkAmong(['gantry', '--inspect', UPSTREAM])).toBe(UPSTREAM)
  expect(linkAmong(['gantry', '--no-sandbox'])).toBeUndefined()
  expect(linkAmong(['gantry', UPSTREAM, 'GANTRY://open?page=/keys'])).toBeUndefined()
})

it('waits alone: a thousand others do not take its place', () => {
  const links = createLinks()
  expect(links.offer('gantry://open?page=/connect')).toBe(true)
  for (let n = 0; n < 1000; n++) expect(links.offer('gantry://open?page=/keys')).toBe(false)
  expect(links.take()).toEqual({ kind: 'open-page', page: '/connect' })
  expect(links.take()).toBeNull()
})

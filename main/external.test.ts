// Only a plain https address leaves the application, in the parser's own spelling.
import { describe, expect, it } from 'vitest'
import { externalUrl } from './external.ts'

describe('refused is (security case EL-04)', () => {
  it.each([
    'http://example.com/',
    'file:///etc/passwd',
    'smb://host/share',
    '\\\\host\\x',
    'ms-msdt:/id',
    'vscode://file/etc/passwd',
    'javascript:alert(1)',
    'data:text/html,x',
    'https:',
    'https://',
    'example.com',
    '$(calc)',
    '',
    'https://x"&calc',
    "https://x'/",
    'https://x;calc/',
    'https://x$(calc)/',
    'https://x`calc`/',
    'https://user@example.com/',
    'https://user:password@example.com/',
    'https://example.com/\0',
    'https://example.com/\n--flag',
    ' https://example.com/',
    'https://exa mple.com/',
    `https://example.com/${'a'.repeat(2048)}`,
    `https://example.com/${'ä'.repeat(1000)}`,
  ])('%j', (given) => {
    expect(externalUrl(given)).toBeUndefined()
  })
})

describe('opened is', () => {
  it.each([
    ['https://example.com', 'https://example.com/'],
    ['HTTPS://EXAMPLE.com/Docs?q=a"b#c', 'https://example.com/Docs?q=a%22b#c'],
    ['https://example.com/$(calc)&x"y', 'https://example.com/$(calc)&x%22y'],
    ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
    ['https://[::1]:8443/', 'https://[::1]:8443/'],
  ])('%s as %s', (given, url) => {
    expect(externalUrl(given)).toBe(url)
  })
})

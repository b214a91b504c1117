// The one kind of address that leaves the application for the system's browser.

const MAX_LENGTH = 2048
/** Letters, digits, dots and hyphens, or an IPv6 literal: nothing a shell or a protocol handler could read otherwise. */
const PLAIN_HOST = /^(?:[a-z0-9.-]+|\[[0-9a-f:.]+\])(?::\d+)?$/

/** The address as the URL parser writes it, or nothing when it is not plain https. */
export function externalUrl(given: string): string | undefined {
  // A control character would be dropped by the parser without a word.
  if (given.length > MAX_LENGTH || /[\0-\x20\x7f]/.test(given) || !URL.canParse(given)) return undefined
  const url = new URL(given)
  const plain = url.protocol === 'https:' && url.username === '' && url.password === '' && PLAIN_HOST.test(url.host)
  return plain && url.href.length <= MAX_LENGTH ? url.href : undefined
}

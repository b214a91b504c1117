// Routes that a provider leads the browser to: what its address says, and where the browser goes next.
import type { Raw } from '../contract/route.ts'

export const redirect = (location: string): Raw => ({
  contentType: 'text/plain; charset=utf-8',
  body: '',
  status: 302,
  headers: { location },
})
/** A parameter that occurs twice was added beside the provider's. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined

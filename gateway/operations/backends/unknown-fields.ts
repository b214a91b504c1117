// Fields that a registration does not know: named in its warnings, but for those that ask for a program, which are refused.
import { ManualTool, RegistrationPayload, refusePrograms } from '../../contract/registration.ts'

const MOST_UNKNOWN = 20

/** Unknown fields do no harm and are named, so that a typing error is seen; but for those that ask for a program. */
/** `besides`: what a route takes that is no part of a registration. */
export function unknownFields(body: unknown, besides: readonly string[] = []): string[] {
  refusePrograms(body)
  const strange = (value: unknown, known: object, prefix: string): string[] =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.keys(value)
          .filter((key) => !Object.hasOwn(known, key) && !besides.includes(prefix + key))
          .map((key) => `${prefix}${key.slice(0, 64)}`)
      : []
  const tools: unknown =
    typeof body === 'object' && body !== null && 'tools' in body && Array.isArray(body.tools) ? body.tools : []
  const fields = [
    ...strange(body, RegistrationPayload.shape, ''),
    ...(tools as unknown[]).flatMap((tool, at) => strange(tool, ManualTool.shape, `tools.${at}.`)),
  ]
  const message = fields
    .slice(0, MOST_UNKNOWN)
    .map((field) => `"${field}" is not a field of a registration; it was ignored.`)
  return fields.length > MOST_UNKNOWN
    ? [...message, `${fields.length - MOST_UNKNOWN} more unknown fields were ignored.`]
    : message
}

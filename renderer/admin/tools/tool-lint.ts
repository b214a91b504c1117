// Lint findings of a tool for models and clients. Pure.
import type { ToolDetail } from '#contract'
import { plural, t } from '../../language/language.ts'
import { isRecord } from '../../ui/form/shape.ts'

export type Finding = { readonly severity: 'warn' | 'info'; readonly text: string }

const MANY_TOKENS = 1500
const SHORT_DESCRIPTION = 20
const LONG_DESCRIPTION = 1024
const LONGEST_NAME = 64
const CHARACTERS_PER_TOKEN = 4

export function tokensOf({ listedName, title, description, inputSchema, annotations }: ToolDetail): number {
  return Math.ceil(
    JSON.stringify({ name: listedName, title, description, inputSchema, annotations }).length / CHARACTERS_PER_TOKEN,
  )
}

export function lint(tool: ToolDetail): readonly Finding[] {
  const { description, inputSchema, listedName, client } = tool
  const found: Finding[] = []
  const say = (severity: Finding['severity'], text: string): void => void found.push({ severity, text })
  if (description.length < SHORT_DESCRIPTION)
    say('warn', t('The description is too short for a model to decide when to use it.'))
  if (description.length > LONG_DESCRIPTION)
    say(
      'info',
      t('The description has {count} characters; some clients cut it at {LONG_DESCRIPTION}.', {
        count: description.length,
        LONG_DESCRIPTION,
      }),
    )
  if (description.includes('[removed]'))
    say('warn', t('Text that looked like an instruction to a model was removed from the description.'))
  if (`${client}__${listedName}`.length > LONGEST_NAME)
    say('info', t('In a bundle its name is longer than {LONGEST_NAME} characters and is shortened.', { LONGEST_NAME }))
  const tokens = tokensOf(tool)
  if (tokens > MANY_TOKENS) say('warn', t('Listing it costs about {tokens} tokens in every conversation.', { tokens }))
  if ('oneOf' in inputSchema || 'anyOf' in inputSchema)
    say('warn', t('Its arguments are a union at the root; several clients show no fields or reject the tool.'))
  const seen = featuresOf(inputSchema)
  if (seen.nullableTypes) say('info', t('It uses a list of types ("string" or "null"), which several clients ignore.'))
  if (seen.references) say('info', t('It uses $ref, which clients without a schema resolver do not follow.'))
  if (seen.undescribed > 0)
    say(
      'info',
      plural(seen.undescribed, '{count} argument has no description.', '{count} arguments have no description.'),
    )
  return found
}

type Features = { nullableTypes: boolean; references: boolean; undescribed: number }

function featuresOf(
  schema: unknown,
  found: Features = { nullableTypes: false, references: false, undescribed: 0 },
  depth = 0,
): Features {
  if (depth > 20) return found
  if (Array.isArray(schema)) for (const each of schema) featuresOf(each, found, depth + 1)
  if (!isRecord(schema)) return found
  if (Array.isArray(schema.type)) found.nullableTypes = true
  if (typeof schema.$ref === 'string') found.references = true
  if (depth === 0 && isRecord(schema.properties))
    found.undescribed = Object.values(schema.properties).filter(
      (property) => isRecord(property) && !property.description && !property.title,
    ).length
  for (const value of Object.values(schema)) featuresOf(value, found, depth + 1)
  return found
}

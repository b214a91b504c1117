// "Contains this text", in any case of its ASCII letters: what both engines have in common.
import { type RawBuilder, type SqlBool, sql } from 'kysely'

/** Both engines lower ASCII letters only, the one always and the other in the collation of our columns. */
const lowered = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase())

export function contains(column: string, text: string): RawBuilder<SqlBool> {
  const pattern = `%${lowered(text).replaceAll(/[\\%_]/g, '\\$&')}%`
  return sql<SqlBool>`lower(${sql.ref(column)}) like ${pattern} escape '\\'`
}

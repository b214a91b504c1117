// Makes zod interpret its schemas: the page's policy forbids eval. Must run before any schema is built.
import { z } from 'zod'

z.config({ jitless: true })

// Cron expressions in words.
import { expect, it } from 'vitest'
import { cronInWords } from './cron-words.ts'

it.each([
  ['* * * * *', 'every minute'],
  ['*/5 * * * *', 'every 5 minutes'],
  ['15 * * * *', 'every hour at :15'],
  ['0 */6 * * *', 'every 6 hours at :00'],
  ['0 3 * * *', 'every day at 03:00'],
  ['0,30 8,20 * * *', 'every day at 08:00, 08:30, 20:00 and 20:30'],
  ['30 18 * * 1-5', 'on Monday to Friday at 18:30'],
  ['0 9 * * SAT,SUN', 'on Saturday and Sunday at 09:00'],
  ['0 9 * * 5-7', 'on Friday to Sunday at 09:00'],
  ['0 0 1 * *', 'on the 1st at 00:00'],
  ['0 0 1-7,11,22,23 1 *', 'on the 1st to 7th, 11th, 22nd and 23rd at 00:00 in January'],
  ['0 12 13 * FRI', 'on the 13th or on Friday at 12:00'],
  [
    '0 12 */2 * FRI',
    'on the 1st, 3rd, 5th, 7th, 9th, 11th, 13th, 15th, 17th, 19th, 21st, 23rd, 25th, 27th, 29th and 31st if that is Friday at 12:00',
  ],
  ['*/10 9-17 * * *', 'every 10 minutes of hours 9 to 17'],
  ['* 4 * * *', 'every minute of hour 4'],
  ['1,2,3,17 * * * *', 'every day at minutes 1 to 3 and 17 of every hour'],
  ['0 0 29 2 *', 'on the 29th at 00:00 in February'],
  ['0 6 * 6-8 *', 'every day at 06:00 in June to August'],
  ['at night', 'at night'],
])('%s is %s', (text, words) => {
  expect(cronInWords(text)).toBe(words)
})

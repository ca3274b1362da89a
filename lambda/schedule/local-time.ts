/*
 * Local time is carried as a number too: the epoch milliseconds that the same date and time would have in UTC ("wall" below). So a calendar is
 * needed for UTC alone, and a zone only adds its offset.
 */
const HOUR = 3_600_000;
const WEEK = 7 * 24 * HOUR;
/** Offsets lie between -12 and +14 hours; both sides of a change that could concern a local time lie within this distance of it. */
const REACH = 15 * HOUR;

const formats = new Map<string, Intl.DateTimeFormat>();

function formatOf(timeZone: string): Intl.DateTimeFormat {
  let format = formats.get(timeZone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat('en-US', {
      timeZone,
      calendar: 'gregory',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    });
    formats.set(timeZone, format);
  }
  return format;
}

/** Whether a zone is UTC under one of its usual names. */
function isUtc(timeZone: string): boolean {
  return timeZone === 'Etc/UTC' || timeZone === 'UTC';
}

/** Local time of a zone at a moment, as the epoch milliseconds that the same date and time have in UTC. */
export function wallTime(epochMs: number, timeZone: string): number {
  if (isUtc(timeZone)) {
    return epochMs;
  }
  // Reading the text takes a third of the time of formatToParts, and a scan of a year asks for it many times.
  const [month = 1, day = 1, year = 0, hour = 0, minute = 0, second = 0] = (
    formatOf(timeZone).format(epochMs).match(/\d+/g) ?? []
  ).map(Number);
  const milliseconds = ((epochMs % 1000) + 1000) % 1000;
  return Date.UTC(year, month - 1, day, hour, minute, second) + milliseconds;
}

/** Offset of a zone from UTC at a moment, in milliseconds; positive east of Greenwich. */
export function zoneOffset(epochMs: number, timeZone: string): number {
  return wallTime(epochMs, timeZone) - epochMs;
}

/**
 * The first moment at which the clocks of a zone show a local time; `undefined` where they never do, because they were put forward over it.
 *
 * @param wall local time as {@link wallTime} gives it
 */
export function firstInstantOf(wall: number, timeZone: string): number | undefined {
  if (isUtc(timeZone)) {
    return wall;
  }
  const offsets = [zoneOffset(wall - REACH, timeZone), zoneOffset(wall + REACH, timeZone)];
  const instants = offsets.map((offset) => wall - offset).filter((instant) => wallTime(instant, timeZone) === wall);
  return instants.length === 0 ? undefined : Math.min(...instants);
}

/**
 * Moments between two others at which a zone changes its offset, ascending. A zone that changes it and back within a week is not seen to do so;
 * none does.
 */
export function offsetChanges(from: number, to: number, timeZone: string): number[] {
  const changes: number[] = [];
  if (isUtc(timeZone)) {
    return changes;
  }
  let offset = zoneOffset(from, timeZone);
  for (let before = from; before < to; before += WEEK) {
    let [low, high] = [before, Math.min(before + WEEK, to)];
    const next = zoneOffset(high, timeZone);
    if (next === offset) {
      continue;
    }
    while (high - low > 1000) {
      const middle = low + Math.floor((high - low) / 2000) * 1000;
      [low, high] = zoneOffset(middle, timeZone) === offset ? [middle, high] : [low, middle];
    }
    changes.push(high);
    offset = next;
  }
  return changes;
}

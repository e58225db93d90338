// Writes the sample files beside it. Deterministic but for what a newer library writes differently.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { buildPdf } from './build-pdf.ts';

const write = (name: string, content: string | Buffer): void => {
  writeFileSync(join(import.meta.dirname, name), content);
};

write(
  'handbook.pdf',
  buildPdf({
    title: 'The Ratchet Handbook',
    author: 'Pawl',
    pages: [
      [
        'A ratchet is a device that lets a wheel turn in one direction only.',
        'The small catch that falls into the teeth of the wheel is called the pawl.',
        'However often somebody pushes the wheel, it never slips back.',
      ].join('\n'),
      [
        'Winches, clocks and spanners are built on this principle,',
        'and so is a job that is taken up again where it has stopped.',
      ].join('\n'),
    ],
  }),
);
write(
  'panduan.pdf',
  buildPdf({
    title: 'Panduan Pengguna',
    pages: [
      [
        'Dokumen ini menjelaskan bagaimana sebuah pekerjaan diterima dan dijalankan sampai selesai.',
        'Setiap langkah dicatat sehingga tidak ada pekerjaan yang hilang atau dikerjakan dua kali.',
      ].join('\n'),
    ],
  }),
);

const gradient = Buffer.alloc(96 * 64 * 3);
for (let y = 0; y < 64; y += 1) {
  for (let x = 0; x < 96; x += 1) gradient.set([x * 2, y * 4, 160], (y * 96 + x) * 3);
}
const picture = sharp(gradient, { raw: { width: 96, height: 64, channels: 3 } });
write(
  'harbour.jpg',
  await picture
    .clone()
    .withExif({
      IFD0: { Make: 'Pawl', Model: 'Sample Camera 1', Copyright: 'CC0' },
      IFD2: { DateTimeOriginal: '2026:03:14 09:26:53', FNumber: '28/10' },
    })
    .jpeg()
    .toBuffer(),
);
write('gradient.png', await picture.clone().png().toBuffer());
write('gradient.webp', await picture.clone().webp().toBuffer());

write(
  'orders.csv',
  [
    'order_id,sku,quantity,unit_price,paid,ordered_on,note',
    'A-1001,serum-30,2,149000,true,2026-03-01,',
    'A-1002,toner-100,1,99000,false,2026-03-02,"gift, wrapped"',
    'A-1003,sunscreen-50,3,129000,true,2026-03-02,"two',
    'lines"',
    '',
  ].join('\n'),
);
write(
  'letter.txt',
  [
    'Dear reader,',
    '',
    'this letter was written to be counted: it has a few lines, more words than lines,',
    'and it is in a language that can be told from its first sentences.',
    '',
  ].join('\n'),
);
write(
  'catalogue.json',
  `${JSON.stringify({ name: 'catalogue', currency: 'IDR', items: [{ sku: 'serum-30', tags: ['new'] }] }, null, 2)}\n`,
);

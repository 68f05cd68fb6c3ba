// Calls the module as programs do that were written for RedisBloom, with node-redis: clients/README.md.
import { createClient, RESP_TYPES } from 'redis';

const text = answer =>
  answer === null ? '-' : Array.isArray(answer) ? answer.map(text).join(' ') : String(typeof answer === 'boolean' ? Number(answer) : answer);
const show = (name, ...answers) => console.log(name, text(answers));

async function bloom(r) {
  show('bf.reserve', await r.bf.reserve('bf', 0.01, 1000));
  show('bf.add', await r.bf.add('bf', 'a'), await r.bf.add('bf', 'a'));
  show('bf.madd', await r.bf.mAdd('bf', ['a', 'b']));
  show('bf.exists', await r.bf.exists('bf', 'a'));
  show('bf.mexists', await r.bf.mExists('bf', ['a', 'x']));
  show('bf.card', await r.bf.card('bf'));
  show('bf.insert', await r.bf.insert('made', ['a', 'b'], { CAPACITY: 10, ERROR: 0.1 }));
  const info = await r.bf.info('bf');
  show('bf.info', info['Capacity'], info['Number of items inserted']);
  const bytes = r.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  for (let at = 0; ;) {
    const { iterator, chunk } = await bytes.bf.scanDump('bf', at);
    if (iterator === 0) break;
    await r.bf.loadChunk('copy', at = iterator, chunk);
  }
  show('bf.loadchunk', await r.bf.mExists('copy', ['a', 'b', 'x']));
}

async function counts(r) {
  show('cms.initbyprob', await r.cms.initByProb('cms', 0.001, 0.01), await r.cms.initByProb('sum', 0.001, 0.01));
  show('cms.incrby', await r.cms.incrBy('cms', [{ item: 'a', incrementBy: 5 }, { item: 'b', incrementBy: 7 }]));
  show('cms.query', await r.cms.query('cms', ['a', 'x']));
  show('cms.merge', await r.cms.merge('sum', [{ name: 'cms', weight: 2 }]), await r.cms.query('sum', 'a'));
  const info = await r.cms.info('cms');
  show('cms.info', info.width, info.depth, info.count);
}

async function tops(r) {
  show('topk.reserve', await r.topK.reserve('topk', 2, { width: 8, depth: 7, decay: 0.9 }));
  show('topk.add', await r.topK.add('topk', ['a', 'b', 'b', 'c']));
  show('topk.query', await r.topK.query('topk', ['b', 'a']));
  show('topk.list', await r.topK.list('topk'));
  const info = await r.topK.info('topk');
  show('topk.info', info.k, info.width, info.depth);
}

async function cuckoo(r) {
  show('cf.reserve', await r.cf.reserve('cf', 1000));
  show('cf.add', await r.cf.add('cf', 'a'));
  show('cf.addnx', await r.cf.addNX('cf', 'a'));
  show('cf.count', await r.cf.count('cf', 'a'));
  show('cf.insert', await r.cf.insert('cf', ['b', 'c'], { NOCREATE: true }));
  show('cf.exists', await r.cf.exists('cf', 'b'));
  show('cf.del', await r.cf.del('cf', 'b'), await r.cf.exists('cf', 'b'));
  const info = await r.cf.info('cf');
  show('cf.info', info['Number of items inserted'], info['Number of items deleted']);
}

const [port, protocol] = process.argv.slice(2).map(Number);
const r = await createClient({ socket: { port }, RESP: protocol }).connect();
for (const part of [bloom, counts, tops, cuckoo]) await part(r);
r.destroy();

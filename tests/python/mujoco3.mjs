// What MuJoCo 3 itself has of a model at a step, for test_mujoco.py: its WebAssembly build, `npm install mujoco-js`.
//
//     node mujoco3.mjs MODEL.xml STEP >OUT.json
//
// mujoco3.json.gz is MODEL of test_mujoco.py, pyramidal and sparse, at step 40, by MuJoCo 3.3.8.
import loadMujoco from 'mujoco-js';
import fs from 'fs';

const mujoco = await loadMujoco();
mujoco.FS.writeFile('/model.xml', fs.readFileSync(process.argv[2], 'utf8'));
const model = mujoco.MjModel.loadFromXML('/model.xml'), data = new mujoco.MjData(model);
for (let i = 0; i < +process.argv[3]; ++i) mujoco.mj_step(model, data);
mujoco.mj_forward(model, data);

const members = (of, names) => Object.fromEntries(names.split(' ').map(name =>
    [name, typeof of[name] === 'object' ? Array.from(of[name]) : of[name]]));
const taken = {
    version: mujoco.mj_versionString(),
    model: {...members(model, 'nv dof_Madr dof_parentid geom_bodyid geom_size body_rootid body_dofnum body_parentid ' +
        'body_dofadr'), timestep: model.opt.timestep},
    data: members(data, 'nefc ncon nf qM efc_J efc_J_rowadr efc_J_rownnz efc_J_colind qvel efc_vel subtree_com cdof ' +
        'geom_xpos efc_type efc_id efc_pos qfrc_smooth'),
    contact: Array.from({length: data.ncon}, (_, i) =>
        members(data.contact.get(i), 'dist pos frame friction dim geom exclude efc_address')),
};
console.log(JSON.stringify(taken));
